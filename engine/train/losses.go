package train

import (
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// gathered is the embeddings of a step from all processes, end to end in the order of processes,
// with their modalities, groups and targets. Every process has the same, and computes the gradients
// of its own rows, from first on.
type gathered struct {
	spread     Spread
	count      int
	columns    int // of a row
	dense      int // the columns of its dense part
	rows       []float32
	shares     []float32 // the factors of the dense part in a row
	modalities []abi.Modality
	groups     []group
	targets    [][]float32
	pairs      []Pair
	first      int
	slopes     []float32 // gradients of this process's rows

	packed       kernel.Packed
	cosines      []float32 // of every row with every other
	coefficients []float32 // the derivatives of a loss by each cosine
	targetRows   []float32
	targeted     []int
	denseRows    []float32
	losses       []float64
}

// group identifies matching items. Items of processes that gave no groups never match others.
type group struct {
	process uint32
	name    uint64
}

// none is the group of items that take no part.
const none = math.MaxUint64

func (c *gathered) row(i int) []float32 { return c.rows[i*c.columns : (i+1)*c.columns] }

func (c *gathered) own() int { return len(c.slopes) / max(1, c.columns) }

// measure leaves the products of count rows with each other in c.cosines.
func (c *gathered) measure(rows []float32, count, columns int) []float32 {
	c.packed.Rows(rows, columns, count, columns)
	cosines := grow(&c.cosines, count*count)
	c.spread.each(count, 96, func(_, begin, end int) {
		c.packed.Product(cosines[begin*count:], count, rows[begin*columns:], columns, end-begin)
	})
	return cosines
}

// total sums what tasks left in c.losses, in order.
func (c *gathered) total() (sum float64) {
	for _, loss := range c.losses {
		sum += loss
	}
	return sum
}

// contrast is InfoNCE over groups. For each item i and each other item p of its group, p competes
// with the items of p's modality in other groups: −ln(e^{s(i,p)/τ} / (e^{s(i,p)/τ} + Σ
// e^{s(i,n)/τ})). An item's loss is the mean over its p, the step's is the mean over items that
// have one. matched is the number of those.
func (c *gathered) contrast(weight, temperature float64) (loss float64, matched int) {
	n := c.count
	partners := make(map[group]int, n)
	for _, g := range c.groups {
		if g.name != none {
			partners[g]++
		}
	}
	for _, g := range c.groups {
		if partners[g] > 1 {
			matched++
		}
	}
	if matched == 0 || weight == 0 {
		return 0, matched
	}
	cosines := c.measure(c.rows, n, c.columns)
	coefficients := grow(&c.coefficients, n*n)
	clear(grow(&c.losses, n))
	c.spread.each(n, 16, func(_, begin, end int) {
		weights := make([]float64, n)
		for i := begin; i < end; i++ {
			row := coefficients[i*n : (i+1)*n]
			clear(row)
			if positives := partners[c.groups[i]] - 1; positives > 0 {
				c.losses[i] = c.contrastItem(row, cosines[i*n:(i+1)*n], weights, i, positives, temperature)
			}
		}
	})
	factor := float32(weight / (float64(matched) * temperature))
	c.addGradients(coefficients, n, c.rows, c.columns, factor, nil)
	return weight * c.total() / float64(matched), matched
}

// contrastItem returns the loss of item i, and writes its derivatives by the cosines over the
// temperature to row.
func (c *gathered) contrastItem(row, cosines []float32, weights []float64, i, positives int, temperature float64) (loss float64) {
	// By modality: the largest cosine, the sum over negatives, and the derivative that the
	// positives give to each negative.
	largest := [4]float32{-2, -2, -2, -2}
	var against, drawn [4]float64
	for j, s := range cosines {
		if m := c.modalities[j]; j != i && c.groups[j].name != none {
			largest[m] = max(largest[m], s)
		}
	}
	mine := c.groups[i]
	for j, s := range cosines {
		if j == i || c.groups[j].name == none {
			continue
		}
		weights[j] = math.Exp(float64(s-largest[c.modalities[j]]) / temperature)
		if c.groups[j] != mine {
			against[c.modalities[j]] += weights[j]
		}
	}
	share := 1 / float64(positives)
	for j, s := range cosines {
		if j == i || c.groups[j] != mine {
			continue
		}
		m := c.modalities[j]
		whole := weights[j] + against[m]
		if whole == 0 { // another positive is so much closer that no other item has a weight
			continue
		}
		loss += share * (math.Log(whole) - float64(s-largest[m])/temperature)
		row[j] = float32(share * (weights[j]/whole - 1))
		drawn[m] += share / whole
	}
	for j := range cosines {
		if j != i && c.groups[j] != mine && c.groups[j].name != none {
			row[j] = float32(weights[j] * drawn[c.modalities[j]])
		}
	}
	return loss
}

// addGradients adds to the gradients of this process's rows what follows from coefficients, the
// derivatives of a loss by n·n products of rows, times factor. Row i is that of the item chosen[i],
// or i where chosen is nil: all of it, or its dense part at length 1.
func (c *gathered) addGradients(coefficients []float32, n int, rows []float32, columns int, factor float32, chosen []int) {
	c.packed.Columns(rows, columns, columns, n)
	c.spread.each(n, 48, func(_, begin, end int) {
		both, sums := make([]float32, (end-begin)*n), make([]float32, (end-begin)*columns)
		for i := begin; i < end; i++ {
			row := both[(i-begin)*n:][:n]
			for j := range row {
				row[j] = coefficients[i*n+j] + coefficients[j*n+i]
			}
		}
		c.packed.Product(sums, columns, both, n, end-begin)
		for i := begin; i < end; i++ {
			item := i
			if chosen != nil {
				item = chosen[i]
			}
			at := item - c.first
			if at < 0 || at >= c.own() {
				continue
			}
			scale := factor
			if columns != c.columns {
				if c.shares[item] == 0 {
					continue
				}
				scale /= c.shares[item]
			}
			addScaled(c.slopes[at*c.columns:][:columns], sums[(i-begin)*columns:], scale)
		}
	})
}

// distil returns the distance to targets: cosine times the mean of 1 − cos, and similarity times
// the mean, over all pairs of different items with targets, of w·(s − t)², where s and t are the
// cosines of the items and of their targets and w is 1 + 4·max(t, 0).
func (c *gathered) distil(cosine, similarity float64) (loss float64) {
	c.targeted = c.targeted[:0]
	for i, target := range c.targets {
		if target != nil {
			c.targeted = append(c.targeted, i)
		}
	}
	n := len(c.targeted)
	if n == 0 || cosine == 0 && similarity == 0 {
		return 0
	}
	width, columns := len(c.targets[c.targeted[0]]), c.columns
	if width == c.dense {
		columns = width
	}
	whole := columns == c.columns
	rows := grow(&c.denseRows, n*columns)
	targets := grow(&c.targetRows, n*width)
	for at, i := range c.targeted {
		row := rows[at*columns : (at+1)*columns]
		copy(row, c.row(i))
		if share := c.shares[i]; !whole && share != 0 {
			scale(row, 1/share)
		}
		target := targets[at*width : (at+1)*width]
		copy(target, c.targets[i])
		scale(target, float32(1/lengthOf(target)))
	}
	if cosine != 0 {
		loss += c.distilCosine(cosine, rows, targets, width, whole)
	}
	if similarity != 0 && n > 1 {
		loss += c.distilSimilarity(similarity, rows, columns, targets, width)
	}
	return loss
}

func (c *gathered) distilCosine(weight float64, rows, targets []float32, width int, whole bool) (loss float64) {
	factor := weight / float64(len(c.targeted))
	for at, i := range c.targeted {
		target := targets[at*width : (at+1)*width]
		loss += factor * (1 - float64(kernel.Dot(rows[at*width:(at+1)*width], target)))
		mine, share := i-c.first, c.shares[i]
		if mine < 0 || mine >= c.own() || !whole && share == 0 {
			continue
		}
		coefficient := float32(-factor)
		if !whole {
			coefficient /= share
		}
		addScaled(c.slopes[mine*c.columns:][:width], target, coefficient)
	}
	return loss
}

func (c *gathered) distilSimilarity(weight float64, rows []float32, columns int, targets []float32, width int) float64 {
	n := len(c.targeted)
	wanted := grow(&c.coefficients, n*n)
	copy(wanted, c.measure(targets, n, width))
	cosines := c.measure(rows, n, columns)
	clear(grow(&c.losses, n))
	c.spread.each(n, 16, func(_, begin, end int) {
		for i := begin; i < end; i++ {
			var sum float64
			row := wanted[i*n : (i+1)*n]
			for j, t := range row {
				if i == j {
					row[j] = 0
					continue
				}
				off, heavy := cosines[i*n+j]-t, 1+4*max(t, 0)
				sum += float64(heavy * off * off)
				row[j] = heavy * off
			}
			c.losses[i] = sum
		}
	})
	mean := weight / (float64(n) * float64(n-1))
	c.addGradients(wanted, n, rows, columns, float32(2*mean), c.targeted)
	return mean * c.total()
}

// rank is CoSENT: ln(1 + Σ e^{scale·(cos q − cos p)}) over all pairs p of a higher score than q.
func (c *gathered) rank(weight, scale float64) float64 {
	if len(c.pairs) < 2 || weight == 0 {
		return 0
	}
	closeness, pulls := make([]float64, len(c.pairs)), make([]float64, len(c.pairs))
	for i, p := range c.pairs {
		closeness[i] = scale * float64(kernel.Dot(c.row(p.A), c.row(p.B)))
	}
	largest := 0.0
	for i, p := range c.pairs {
		for j, q := range c.pairs {
			if p.Score > q.Score {
				largest = max(largest, closeness[j]-closeness[i])
			}
		}
	}
	sum := math.Exp(-largest)
	for i, p := range c.pairs {
		for j, q := range c.pairs {
			if p.Score > q.Score {
				e := math.Exp(closeness[j] - closeness[i] - largest)
				sum += e
				pulls[j] += e
				pulls[i] -= e
			}
		}
	}
	for i, p := range c.pairs {
		factor := float32(weight * scale * pulls[i] / sum)
		c.addGradient(p.A, p.B, factor)
		c.addGradient(p.B, p.A, factor)
	}
	return weight * (largest + math.Log(sum))
}

// addGradient adds factor times row b to the gradient of row a, if row a is this process's.
func (c *gathered) addGradient(a, b int, factor float32) {
	mine := a - c.first
	if mine < 0 || mine >= c.own() {
		return
	}
	addScaled(c.slopes[mine*c.columns:][:c.columns], c.row(b), factor)
}
