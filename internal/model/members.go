package model

import (
	"fmt"
	"slices"
)

// fields are the readers of an object's members, by name. Each consumes its member's value.
type fields map[string]func() error

// members reads an object. Members that fields does not name are skipped; every one of required
// must be present.
func (r *reader) members(required []string, fields fields) error {
	var found []string
	err := r.object(func(name string) error {
		read := fields[name]
		if read == nil {
			return r.skip()
		}
		found = append(found, name)
		if err := read(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range required {
		if !slices.Contains(found, name) {
			return malformed("%s is missing", name)
		}
	}
	return nil
}

func integer(r *reader, value *int, lowest, highest int64) func() error {
	return func() error {
		number, err := r.natural()
		if err == nil && (number < lowest || number > highest) {
			err = malformed("%d is outside %d … %d", number, lowest, highest)
		}
		*value = int(number)
		return err
	}
}

func number(r *reader, value *float64, allowed func(float64) bool) func() error {
	return func() (err error) {
		*value, err = r.number()
		if err == nil && !allowed(*value) {
			err = malformed("%v is out of range", *value)
		}
		return err
	}
}

func boolean(r *reader, value *bool) func() error {
	return func() (err error) {
		*value, err = r.boolean()
		return err
	}
}

// sizes reads the ascending lengths of n-grams.
func sizes(r *reader, value *[]int) func() error {
	return func() error {
		err := r.array(func(index int) error {
			if index == 8 {
				return malformed("more than 8")
			}
			var size int
			if err := integer(r, &size, 1, 8)(); err != nil {
				return err
			}
			if index > 0 && size <= (*value)[index-1] {
				return malformed("%d does not ascend", size)
			}
			*value = append(*value, size)
			return nil
		})
		if err == nil && len(*value) == 0 {
			err = malformed("empty")
		}
		return err
	}
}
