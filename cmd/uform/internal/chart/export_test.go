package chart

// Repel are the forces on points by the approximation, and the sum of weights.
func Repel(points []Point) (forces []Point, total float64) {
	var tree quadtree
	tree.build(points)
	var stack []int32
	for _, p := range points {
		force, weights := tree.repel(p, &stack)
		forces = append(forces, force)
		total += weights
	}
	return forces, total
}
