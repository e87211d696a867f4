package report

import "strings"

// The result fields of alternative send have no medium beside them, so each is
// read in the families that it can belong to. Given is false for an empty one.

func (f Fallback) telResult() (r Result, given bool) {
	r, given = fieldResult(f.TelRes, SMS)
	if r.Code/1000 == 6 {
		r.Family = MMS
	}
	return r, given
}

func (f Fallback) kaoResult() (Result, bool) { return fieldResult(f.KaoRes, Kakao) }

func (f Fallback) rcsResult() (Result, bool) { return fieldResult(f.RCSRes, RCS) }

func fieldResult(field string, family Family) (r Result, given bool) {
	if strings.TrimSpace(field) == "" {
		return Result{}, false
	}
	n, _ := digits(field)
	r = Result{Family: family, Code: asCode(n)}
	if isCommon(r.Code) {
		r.Family = Common
	}
	return r, true
}
