package chart

import "math"

// quadtree sums up points that are far away.
type quadtree struct {
	nodes []quad
}

// quad is a square with points in it. A leaf has no children; its points are at one place, or so
// near that they count as such.
type quad struct {
	middle   Point
	half     float64
	centre   Point // of the points
	count    float64
	children [4]int32 // 0 is none
	divided  bool
}

// deepest is the depth at which points count as one.
const deepest = 40

// build makes the tree of points.
func (t *quadtree) build(points []Point) {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	half := max(high.X-low.X, high.Y-low.Y)/2 + 1e-9
	t.nodes = append(t.nodes[:0], quad{middle: Point{(low.X + high.X) / 2, (low.Y + high.Y) / 2}, half: half})
	for _, p := range points {
		t.insert(p)
	}
}

func (t *quadtree) insert(p Point) {
	at := int32(0)
	for depth := 0; ; depth++ {
		node := &t.nodes[at]
		if node.count > 0 && !node.divided && node.centre != p && depth < deepest {
			// A leaf is divided: what it had goes down first.
			former, count := node.centre, node.count
			node.divided = true
			below := t.child(at, former)
			t.nodes[below].centre, t.nodes[below].count = former, count
			node = &t.nodes[at]
		}
		node.centre.X = (node.centre.X*node.count + p.X) / (node.count + 1)
		node.centre.Y = (node.centre.Y*node.count + p.Y) / (node.count + 1)
		node.count++
		if !node.divided {
			return
		}
		at = t.child(at, p)
	}
}

// child returns the child of a node that a point belongs to, which is made if there is none.
func (t *quadtree) child(at int32, p Point) int32 {
	node := &t.nodes[at]
	quarter, half := 0, node.half/2
	middle := Point{node.middle.X - half, node.middle.Y - half}
	if p.X > node.middle.X {
		quarter |= 1
		middle.X = node.middle.X + half
	}
	if p.Y > node.middle.Y {
		quarter |= 2
		middle.Y = node.middle.Y + half
	}
	if below := node.children[quarter]; below != 0 {
		return below
	}
	made := int32(len(t.nodes))
	node.children[quarter] = made
	t.nodes = append(t.nodes, quad{middle: middle, half: half})
	return made
}

// far is how small a square must look from a point, its side by the distance, to be summed up.
const far = 0.5

// repel returns the force on a point from all others, not yet divided by the sum of all weights,
// and the point's part of that sum. stack is memory.
func (t *quadtree) repel(p Point, stack *[]int32) (force Point, weights float64) {
	*stack = append((*stack)[:0], 0)
	for len(*stack) > 0 {
		at := (*stack)[len(*stack)-1]
		*stack = (*stack)[:len(*stack)-1]
		node := &t.nodes[at]
		dx, dy := p.X-node.centre.X, p.Y-node.centre.Y
		squared := dx*dx + dy*dy
		if node.divided && 4*node.half*node.half >= far*far*squared {
			for _, below := range node.children {
				if below != 0 {
					*stack = append(*stack, below)
				}
			}
			continue
		}
		count := node.count
		if !node.divided && squared == 0 {
			count-- // the point itself
		}
		weight := 1 / (1 + squared)
		weights += count * weight
		force.X += count * weight * weight * dx
		force.Y += count * weight * weight * dy
	}
	return force, weights
}
