# Sourced by .ci/run and ci/all.sh. `step SECONDS NAME COMMAND ...` runs one command as a step.
# SECONDS is its budget of processor time, which the table at the end shows beside what the step
# took; a step over its budget does not fail. The table is printed however the script ends.
#
# With steps_kept, a file, a step that held is written there, and is not run again by a script that
# continues with the same file.
#
# Processor time is that of the command and of all processes that it waited for, so without Wine's
# server.
steps_folder=$(mktemp -d)
steps_started=$SECONDS
trap 'echo; steps_table; rm -rf "$steps_folder"' EXIT

# processor prints the processor time in seconds of this shell's commands so far.
processor() {
	local fields
	read -ra fields </proc/$$/stat
	echo $(((fields[13] + fields[14] + fields[15] + fields[16]) / $(getconf CLK_TCK)))
}

step() {
	local budget=$1 name=$2 before clock=$SECONDS status=0
	shift 2
	if [ -n "${steps_kept:-}" ] && grep -P "^\Q$name\E\t" "$steps_kept" >>"$steps_folder/rows" 2>/dev/null; then
		echo "=== $name held before"
		return
	fi
	before=$(processor)
	echo
	echo "=== $name ($(date +%T), processor time so far: $before s)"
	"$@" 2>&1 | tee "$steps_folder/output" || status=$?
	[ "$status" -eq 0 ] || name+=" FAILED"
	# The tests of a step are the sum over the runs that testcount and ci/platforms report.
	awk -v OFS='\t' -v name="$name" -v processor="$(($(processor) - before))" -v budget="$budget" -v clock="$((SECONDS - clock))" '
		match($0, /[0-9]+ (tests )?passed, [0-9]+ failed, [0-9]+ skipped/) {
			split(substr($0, RSTART, RLENGTH), count, /[^0-9]+/)
			passed += count[1]; failed += count[2]; skipped += count[3]
		}
		END { print name, processor, budget, clock, passed + 0, failed + 0, skipped + 0 }' "$steps_folder/output" >>"$steps_folder/rows"
	[ "$status" -ne 0 ] || [ -z "${steps_kept:-}" ] || tail -n 1 "$steps_folder/rows" >>"$steps_kept"
	return "$status"
}

# steps_table prints what each step took in seconds, and the tests that it ran.
steps_table() {
	[ -e "$steps_folder/rows" ] || return 0
	awk -F '\t' -v clock="$((SECONDS - steps_started))" '
		function line(name, processor, budget, clock, passed, failed, skipped) {
			printf "%-44s%10s%8s%8s%9s%8s%9s\n", name, processor, budget, clock, passed, failed, skipped
		}
		BEGIN { line("step", "processor", "budget", "clock", "passed", "failed", "skipped") }
		{ line($1, $2, $3, $4, $5, $6, $7); used += $2; budget += $3; passed += $5; failed += $6; skipped += $7 }
		END { line("all", used, budget, clock, passed, failed, skipped) }' "$steps_folder/rows"
}
