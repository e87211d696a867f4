package report_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/go-bizppurio/sdk/report"
)

func record(id, medium string, family report.Family, code int) report.Report {
	return report.Report{RefKey: "order-0001", MessageID: id, Medium: medium, Result: report.Result{Family: family, Code: code}}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	var (
		kakaoFailed    = record("m1", "KAT", report.Kakao, 7204)
		kakaoUncertain = record("m1", "KAT", report.Kakao, 7305)
		kakaoDelivered = record("m1", "KAT", report.Kakao, 7000)
		rcsFailed      = record("m3", "RSS", report.RCS, 8200)
		smsFailed      = record("m2", "SMS", report.SMS, 4410)
		smsDelivered   = record("m2", "SMS", report.SMS, 4100)
		lmsFailed      = record("m4", "LMS", report.MMS, 6606)
		unread         = record("m2", "SMS", "", 0)
		balance        = record("m2", "SMS", report.Common, 9070)
	)
	bothInOne := kakaoFailed
	bothInOne.Fallback.TelRes = "4410"
	savedInOne := kakaoFailed
	savedInOne.Fallback.TelRes = "4100"
	noID := func(r report.Report) report.Report {
		r.MessageID = ""
		return r
	}
	sameID := smsFailed
	sameID.MessageID = "m1"
	otherID := record("m5", "KFT", report.Kakao, 7308)
	lmsInOne := kakaoFailed
	lmsInOne.Fallback.TelRes = "6606"
	odd := func(id string, code int) report.Report { return record(id, "XYZ", "", code) }
	crowd := []report.Report{kakaoFailed}
	for i := range 100 {
		crowd = append(crowd, odd("x"+strconv.Itoa(i), 1))
	}

	tests := []struct {
		name     string
		records  []report.Report
		channels int
		want     report.Status
	}{
		{"silence", nil, 1, report.Uncertain},
		{"silence, two channels", nil, 2, report.Uncertain},
		{"delivered", []report.Report{kakaoDelivered}, 1, report.Delivered},
		{"failed", []report.Report{kakaoFailed}, 1, report.Failed},
		{"uncertain", []report.Report{kakaoUncertain}, 1, report.Uncertain},
		{"channels 0 is 1", []report.Report{kakaoFailed}, 0, report.Failed},
		{"channels below 0 is 1", []report.Report{kakaoFailed}, -5, report.Failed},
		{"no records, channels 0", nil, 0, report.Uncertain},

		{"first failed, fallback to come", []report.Report{kakaoFailed}, 2, report.Uncertain},
		{"first failed twice, fallback to come", []report.Report{kakaoFailed, kakaoFailed}, 2, report.Uncertain},
		{"first failed, fallback delivered", []report.Report{kakaoFailed, smsDelivered}, 2, report.Delivered},
		{"both failed", []report.Report{kakaoFailed, smsFailed}, 2, report.Failed},
		{"failed for balance", []report.Report{kakaoFailed, balance}, 2, report.Failed},
		{"two of three failed", []report.Report{kakaoFailed, rcsFailed}, 3, report.Uncertain},
		{"all three failed", []report.Report{kakaoFailed, rcsFailed, smsFailed}, 3, report.Failed},
		{"more failed than channels", []report.Report{kakaoFailed, rcsFailed, smsFailed}, 1, report.Failed},
		{"two kinds of one carrier", []report.Report{smsFailed, lmsFailed}, 2, report.Uncertain},
		{"7305, fallback failed", []report.Report{kakaoUncertain, smsFailed}, 2, report.Uncertain},
		{"failed, fallback unread", []report.Report{kakaoFailed, unread}, 2, report.Uncertain},
		{"7305 stays uncertain beside a failure of the same record", []report.Report{kakaoUncertain, kakaoFailed}, 1, report.Uncertain},
		{"late delivered", []report.Report{kakaoFailed, smsFailed, kakaoDelivered}, 2, report.Delivered},

		{"both failed in one record", []report.Report{bothInOne}, 2, report.Failed},
		{"both failed in one record, one to come", []report.Report{bothInOne}, 3, report.Uncertain},
		{"fallback delivered in one record", []report.Report{savedInOne}, 2, report.Delivered},
		{"fallback in both forms counts once", []report.Report{bothInOne, smsFailed}, 3, report.Uncertain},
		{"fallback in both forms, and the third", []report.Report{bothInOne, smsFailed, rcsFailed}, 3, report.Failed},
		{"fallback fields twice count once", []report.Report{bothInOne, bothInOne}, 3, report.Uncertain},
		{"one id for two channels", []report.Report{kakaoFailed, sameID}, 2, report.Failed},

		{"without id, the same", []report.Report{noID(kakaoFailed), noID(kakaoFailed)}, 2, report.Uncertain},
		{"without id, different", []report.Report{noID(kakaoFailed), noID(smsFailed)}, 2, report.Failed},
		{"family only", []report.Report{{MessageID: "a", Result: report.Result{Family: report.Kakao, Code: 7204}}, {MessageID: "b", Result: report.Result{Family: report.SMS, Code: 4410}}}, 2, report.Failed},
		{"family by the code", []report.Report{odd("x1", 7204), odd("x2", 7308)}, 2, report.Uncertain},

		// No message has two channels of one kind (spec 3.2).
		{"one channel under two ids", []report.Report{kakaoFailed, otherID}, 2, report.Uncertain},
		{"one channel under two ids, and the fallback", []report.Report{kakaoFailed, otherID, smsFailed}, 2, report.Failed},
		{"one channel with and without id", []report.Report{kakaoFailed, noID(kakaoFailed)}, 2, report.Uncertain},
		{"one channel without id, two results", []report.Report{noID(kakaoFailed), noID(otherID)}, 2, report.Uncertain},
		{"one channel, one of its records for balance", []report.Report{smsFailed, record("m6", "SMS", report.Common, 9070)}, 2, report.Uncertain},
		{"talktalk under two ids", []report.Report{record("n1", "NIT", report.NTalk, 5301), record("n2", "NBT", report.NTalk, 5301)}, 2, report.Uncertain},
		{"an LMS in the fields, an SMS as a record", []report.Report{lmsInOne, smsFailed}, 3, report.Uncertain},
		{"an SMS and an LMS in the fields", []report.Report{bothInOne, lmsInOne}, 3, report.Uncertain},

		// A channel that nothing names may be any of the others, under any id.
		{"unknown channels", []report.Report{odd("x1", 1), odd("x2", 1)}, 2, report.Uncertain},
		{"unknown channel, the same id", []report.Report{odd("x1", 1), odd("x1", 2)}, 2, report.Uncertain},
		{"unknown channel beside a known one", []report.Report{kakaoFailed, odd("x1", 1)}, 2, report.Uncertain},
		{"unknown channel with the id of a known one", []report.Report{kakaoFailed, record("m1", "", report.Common, 9070)}, 2, report.Uncertain},
		{"unknown channel with and without id", []report.Report{odd("x1", 1), odd("", 1)}, 2, report.Uncertain},
		{"unknown channel without id", []report.Report{odd("", 1)}, 1, report.Failed},
		{"unknown channels without id", []report.Report{odd("", 1), odd("", 2)}, 2, report.Uncertain},
		{"unknown channel without id beside a known one", []report.Report{kakaoFailed, odd("", 1)}, 2, report.Uncertain},
		{"unknown channel that the fields may speak of", []report.Report{bothInOne, odd("x1", 1)}, 3, report.Uncertain},
		{"more ids than any message has", crowd, 2, report.Uncertain},
		{"more ids than any message has, one channel", crowd[1:], 1, report.Failed},
		{"neither medium nor family", []report.Report{{MessageID: "a", Result: report.Result{Code: 1}}}, 1, report.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := report.Settle(tt.records, tt.channels); got != tt.want {
				t.Errorf("Settle(%d records, %d) = %s, want %s", len(tt.records), tt.channels, got, tt.want)
			}
			back := slices.Clone(tt.records)
			slices.Reverse(back)
			if got := report.Settle(back, tt.channels); got != tt.want {
				t.Errorf("Settle(reversed, %d) = %s, want %s", tt.channels, got, tt.want)
			}
		})
	}
}

// Whatever the records: order and duplicates change nothing, a delivered one
// decides, a channel more never settles what was open, and the Tracker agrees.
func TestSettle_Properties(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		records := make([]report.Report, rnd.IntN(6))
		for i := range records {
			records[i] = randomRecord(rnd)
		}
		channels := rnd.IntN(5) - 1
		want := report.Settle(records, channels)

		shuffled := slices.Clone(records)
		for range rnd.IntN(4) {
			if len(records) > 0 {
				shuffled = append(shuffled, records[rnd.IntN(len(records))])
			}
		}
		rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := report.Settle(shuffled, channels); got != want {
			t.Fatalf("Settle(shuffled with duplicates, %d) = %s, want %s: %v", channels, got, want, records)
		}

		anyDelivered := slices.ContainsFunc(records, func(r report.Report) bool { return r.Status() == report.Delivered })
		if anyDelivered != (want == report.Delivered) {
			t.Fatalf("Settle(%d) = %s, a record is delivered: %t: %v", channels, want, anyDelivered, records)
		}
		anyUncertain := slices.ContainsFunc(records, func(r report.Report) bool { return r.Status() == report.Uncertain })
		if want == report.Failed && (anyUncertain || len(records) == 0) {
			t.Fatalf("Settle(%d) = failed without proof: %v", channels, records)
		}
		if more := report.Settle(records, max(1, channels)+1); more != want && more != report.Uncertain {
			t.Fatalf("Settle with one channel more = %s, after %s: %v", more, want, records)
		}

		tracker := report.NewTracker(report.TrackerConfig{})
		tracker.Begin("order-0001", channels)
		got := report.Uncertain
		for _, r := range shuffled {
			got, _ = tracker.Add(r)
		}
		if got != want {
			t.Fatalf("Tracker = %s, Settle = %s: %v", got, want, records)
		}
	}
}

func randomRecord(rnd *rand.Rand) report.Report {
	kinds := []struct {
		medium string
		family report.Family
		codes  []int
	}{
		{"KAT", report.Kakao, []int{7000, 7204, 7305, 7308}},
		{"SMS", report.SMS, []int{4100, 4410, 0}},
		{"LMS", report.MMS, []int{6600, 6606}},
		{"RSS", report.RCS, []int{8000, 8200}},
		{"NIT", report.NTalk, []int{5000, 5301}},
		{"XYZ", "", []int{1, 2, 0}},
		{"", report.Common, []int{9070}},
		{"KAT", report.Common, []int{9070}},
	}
	k := kinds[rnd.IntN(len(kinds))]
	r := record("", k.medium, k.family, k.codes[rnd.IntN(len(k.codes))])
	if id := rnd.IntN(5); id > 0 {
		r.MessageID = "m" + strconv.Itoa(id)
	}
	field := func(codes ...string) string {
		if rnd.IntN(4) > 0 {
			return ""
		}
		return codes[rnd.IntN(len(codes))]
	}
	r.Fallback = report.Fallback{
		TelRes: field("4100", "4410", "6606", "x"), KaoRes: field("7000", "7204", "7305"), RCSRes: field("8000", "8200", "9070"),
	}
	return r
}
