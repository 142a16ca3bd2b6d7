package tokenizer

import (
	"math"
	"strconv"
)

// parseScore reads a JSON number as the reference does: the digits as an integer of 64 bits, those
// that do not fit left out, then one division or multiplication by a power of ten. The last bit may
// differ from the nearest number, and it decides between two ways to cut a text whose scores are
// otherwise the same.
func parseScore(number string) float64 {
	digits, exponent := uint64(0), 0
	i, negative, fraction, full := 0, false, false, false
	if i < len(number) && number[i] == '-' {
		negative = true
		i++
	}
	for ; i < len(number); i++ {
		c := number[i]
		if c == '.' {
			fraction = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digit := uint64(c - '0')
		full = full || digits > math.MaxUint64/10 || digits == math.MaxUint64/10 && digit > math.MaxUint64%10
		switch {
		case !full:
			digits = digits*10 + digit
			if fraction {
				exponent--
			}
		case !fraction:
			exponent++
		}
	}
	if i < len(number) { // e or E
		// Out of range, power is the largest or least number.
		power, _ := strconv.Atoi(number[i+1:])
		exponent += max(min(power, 1<<20), -1<<20)
	}
	value := float64(digits)
	for exponent < -308 && value != 0 {
		value /= 1e308
		exponent += 308
	}
	if value != 0 {
		if exponent >= 0 {
			value *= powerOfTen(min(exponent, 309))
		} else {
			value /= powerOfTen(-exponent)
		}
	}
	if negative {
		value = -value
	}
	return value
}

// powerOfTen is the nearest number to a power of ten, infinite from 309 on.
func powerOfTen(exponent int) float64 {
	value, _ := strconv.ParseFloat("1e"+strconv.Itoa(exponent), 64)
	return value
}
