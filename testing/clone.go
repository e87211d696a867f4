package bizppuriotest

import (
	"reflect"

	"github.com/go-bizppurio/sdk/send"
)

// cloneMessage copies m and everything that m leads to, so that no later
// change by its owner shows in the copy.
func cloneMessage(m send.Message) send.Message {
	v := reflect.ValueOf(&m).Elem()
	v.Set(clone(v))
	return m
}

// clone copies a value. What it cannot copy, unexported fields and the
// insides of an *Encoded, nobody outside their package can change.
func clone(v reflect.Value) reflect.Value {
	switch v.Kind() { //nolint:exhaustive // the other kinds share nothing
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*send.Encoded]() {
			return v
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(clone(v.Elem()))
		return p
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(clone(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(clone(v.Index(i)))
		}
		return out
	case reflect.Array, reflect.Struct:
		return cloneInside(v)
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(clone(it.Key()), clone(it.Value()))
		}
		return out
	default:
		return v
	}
}

func cloneInside(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if v.Kind() == reflect.Array {
		for i := range v.Len() {
			out.Index(i).Set(clone(v.Index(i)))
		}
		return out
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			out.Field(i).Set(clone(v.Field(i)))
		}
	}
	return out
}
