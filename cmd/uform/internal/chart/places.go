package chart

import (
	"context"
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
)

// The schedule of t-SNE, as its authors have it.
const (
	perplexity   = 30
	steps        = 750
	exaggerated  = 250 // steps in which points are drawn together more, so that groups form
	exaggeration = 12
)

// fewest is the least number of points that t-SNE is for: fewer are shown by their components.
const fewest = 10

// Places returns a place for each vector, so that near vectors are near. progress, which may be
// nil, receives the share that is done. It returns the cause of ctx where that ends.
func Places(ctx context.Context, vectors [][]float32, progress func(share float64)) ([]Point, error) {
	points := Principal(vectors)
	if len(vectors) < fewest {
		return points, nil
	}
	near, err := affinities(ctx, vectors, min(perplexity, float64(len(vectors)-1)/3))
	if err != nil {
		return nil, err
	}
	shrink(points, 1e-4)
	d := &descent{points: points, near: near, speed: make([]Point, len(points)), gains: make([]Point, len(points)), forces: make([]Point, len(points))}
	for i := range d.gains {
		d.gains[i] = Point{1, 1}
	}
	for step := range steps {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if step < exaggerated {
			d.step(exaggeration, 0.5)
		} else {
			d.step(1, 0.8)
		}
		if progress != nil {
			progress(float64(step+1) / steps)
		}
	}
	return turned(points), nil
}

// turned turns the picture, whose axes mean nothing, so that it is widest from left to right.
func turned(points []Point) []Point {
	vectors := make([][]float32, len(points))
	for i, p := range points {
		vectors[i] = []float32{float32(p.X), float32(p.Y)}
	}
	return Principal(vectors)
}

// shrink gives the first axis a deviation, and moves points that are all alike apart.
func shrink(points []Point, deviation float64) {
	squares := 0.0
	for _, p := range points {
		squares += p.X * p.X
	}
	scale := 0.0
	if squares > 0 {
		scale = deviation / math.Sqrt(squares/float64(len(points)))
	}
	for i := range points {
		// A spiral, much smaller: points at one place would never part.
		angle, radius := 2.4*float64(i), deviation*1e-2*math.Sqrt(float64(i)/float64(len(points)))
		points[i] = Point{points[i].X*scale + radius*math.Cos(angle), points[i].Y*scale + radius*math.Sin(angle)}
	}
}

// descent follows the gradient.
type descent struct {
	points, speed, gains, forces []Point
	near                         [][]affinity
	tree                         quadtree
}

func (d *descent) step(exaggeration, momentum float64) {
	d.tree.build(d.points)
	sums := make([]float64, len(d.points))
	parallel(len(d.points), func(first, end int) {
		var stack []int32
		for i := first; i < end; i++ {
			d.forces[i], sums[i] = d.tree.repel(d.points[i], &stack)
		}
	})
	total := 0.0
	for _, sum := range sums {
		total += sum
	}
	rate := max(float64(len(d.points))/12, 50)
	parallel(len(d.points), func(first, end int) {
		for i := first; i < end; i++ {
			gradient := Point{-d.forces[i].X / total, -d.forces[i].Y / total}
			for _, a := range d.near[i] {
				dx, dy := d.points[i].X-d.points[a.to].X, d.points[i].Y-d.points[a.to].Y
				pull := exaggeration * a.weight / (1 + dx*dx + dy*dy)
				gradient.X += pull * dx
				gradient.Y += pull * dy
			}
			d.forces[i] = gradient // read by no other point in this loop
		}
	})
	middle := Point{}
	for i := range d.points {
		advance(&d.points[i].X, &d.speed[i].X, &d.gains[i].X, 4*d.forces[i].X, rate, momentum)
		advance(&d.points[i].Y, &d.speed[i].Y, &d.gains[i].Y, 4*d.forces[i].Y, rate, momentum)
		middle.X += d.points[i].X / float64(len(d.points))
		middle.Y += d.points[i].Y / float64(len(d.points))
	}
	for i := range d.points {
		d.points[i].X -= middle.X
		d.points[i].Y -= middle.Y
	}
}

// advance moves along one axis. The gain grows while the direction stays.
func advance(place, speed, gain *float64, gradient, rate, momentum float64) {
	if (gradient > 0) == (*speed > 0) {
		*gain = max(*gain*0.8, 0.01)
	} else {
		*gain += 0.2
	}
	*speed = momentum**speed - rate**gain*gradient
	*place += *speed
}

// parallel calls work with parts of 0 … n−1 that are apart.
func parallel(n int, work func(first, end int)) {
	parts := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for part := range parts {
		group.Go(func() { work(n*part/parts, n*(part+1)/parts) })
	}
	group.Wait()
}

// sortedKeys ranges over the keys of a map in order.
func sortedKeys(m map[int]float64) iter.Seq[int] { return slices.Values(slices.Sorted(maps.Keys(m))) }
