// Package sheet draws contact sheets: cards with a picture, a label and a score, in a grid below a
// title.
package sheet
