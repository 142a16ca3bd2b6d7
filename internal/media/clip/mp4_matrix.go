package clip

// matrix is a transformation matrix of an MP4 header, in rows. Its last column is 2.30 fixed point,
// the others are 16.16.
type matrix [3][3]int32

var identity = matrix{{1 << 16, 0, 0}, {0, 1 << 16, 0}, {0, 0, 1 << 30}}

func readMatrix(f *fields) (m matrix) {
	for i := range m {
		for j := range m[i] {
			m[i][j] = int32(f.u32())
		}
	}
	return m
}

// times returns the matrix that applies n after m, in FFmpeg's fixed-point arithmetic.
func (m matrix) times(n matrix) (product matrix) {
	for i := range m {
		for j := range n {
			sum := int64(m[i][0])*int64(n[0][j])>>16 + int64(m[i][1])*int64(n[1][j])>>16 + int64(m[i][2])*int64(n[2][j])>>30
			product[i][j] = int32(sum)
		}
	}
	return product
}

// turns returns the number of quarter turns to the right. A matrix that mirrors, or turns by
// anything but quarters, counts as none.
func (m matrix) turns() int {
	one := func(v int32) int { // only the sign is of interest
		switch {
		case v > 0:
			return 1
		case v < 0:
			return -1
		}
		return 0
	}
	switch [4]int{one(m[0][0]), one(m[0][1]), one(m[1][0]), one(m[1][1])} {
	case [4]int{0, 1, -1, 0}:
		return 1
	case [4]int{-1, 0, 0, -1}:
		return 2
	case [4]int{0, -1, 1, 0}:
		return 3
	}
	return 0
}
