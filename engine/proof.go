package engine

import (
	"context"
	"iter"
	"reflect"
	"slices"
)

// NotSent reports whether err, with which an [Engine] failed a request under
// ctx, proves that nothing of the request was sent: it says so itself, by a
// method NotSent() bool, or the errors that it wraps do.
//
// Two things prove nothing. Where the chain forks, as with errors.Join, the
// errors may be those of several tries. And the cause of ctx, as
// [context.Cause] returns it, is about something else, although net/http
// returns it in the place of an error of its own: a caller who cancels because
// some other call failed unsent has not proven anything about this one.
func NotSent(ctx context.Context, err error) bool {
	for err := range chain(err, context.Cause(ctx)) {
		if proof, ok := err.(interface{ NotSent() bool }); ok {
			return proof.NotSent()
		}
	}
	return false
}

// chain yields err and what it wraps, to where the chain forks or meets an
// error of strangers, which are about something else. They may be nil.
func chain(err error, strangers ...error) iter.Seq[error] {
	return func(yield func(error) bool) {
		for err != nil {
			strange := slices.ContainsFunc(strangers, func(s error) bool { return holds(s, err) })
			if strange || !yield(err) {
				return
			}
			u, ok := err.(interface{ Unwrap() error })
			if !ok {
				return
			}
			err = u.Unwrap()
		}
	}
}

// holds reports whether part is whole or something that whole wraps.
func holds(whole, part error) bool {
	if whole == nil || same(whole, part) {
		return whole != nil
	}
	switch w := whole.(type) { //nolint:errorlint // this is the walk
	case interface{ Unwrap() error }:
		return holds(w.Unwrap(), part)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(w.Unwrap(), func(branch error) bool { return holds(branch, part) })
	}
	return false
}

// same reports whether a and b are one error. Where that cannot be told, they
// are.
func same(a, b error) bool {
	v := reflect.ValueOf(a)
	return v.Type() == reflect.TypeOf(b) && (!v.Comparable() || a == b) //nolint:errorlint // identity is meant
}
