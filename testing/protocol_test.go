package bizppuriotest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func TestToken(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithAccount("shop", "p:w"))
	cl := newClient(t, s)
	good := basic("shop", "p:w")
	for name, c := range map[string]struct {
		auth string
		want int
	}{
		"none":             {"", 3001},
		"two spaces":       {strings.Replace(good, " ", "  ", 1), 3001},
		"lower case":       {strings.ToLower(good[:5]) + good[5:], 3001},
		"not base64":       {"Basic !", 3001},
		"no colon":         {basic("shop", "p:w")[:10], 3001},
		"unknown account":  {basic("other", "p:w"), 3006},
		"wrong password":   {basic("shop", "p"), 3007},
		"bearer":           {"Bearer x", 3001},
		"account and name": {good, 0},
	} {
		a, err := cl.do(cl.request(bizppuriotest.PathToken, c.auth, ""))
		if err != nil || code(a) != c.want {
			t.Errorf("%s: %q, %v, want code %d", name, a.body, err, c.want)
		}
		if want := 400; c.want != 0 && a.status != want {
			t.Errorf("%s: status %d, want %d", name, a.status, want)
		}
	}
	a, err := cl.do(cl.request(bizppuriotest.PathToken, good, ""))
	if err != nil {
		t.Fatal(err)
	}
	expired, err := time.ParseInLocation("20060102150405", a.json["expired"].(string), time.FixedZone("", 9*60*60))
	if left := time.Until(expired); err != nil || left < 23*time.Hour || left > 24*time.Hour {
		t.Errorf("expired = %v, %v, want 24 h ahead in Korea time", a.json["expired"], err)
	}
	if a.json["type"] != "Bearer" || a.json["code"] != nil {
		t.Errorf("answer = %s, want type Bearer and no code", a.body)
	}
}

func TestAuthorisation(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithTokenLife(0))
	cl := newClient(t, s)
	cl.login()
	for name, c := range map[string]struct {
		auth string
		want int
	}{
		"none": {"", 3002}, "basic": {basic("a", "b"), 3005}, "unknown": {"Bearer x", 3002}, "expired": {"Bearer " + cl.token, 3002},
	} {
		for _, path := range []string{
			bizppuriotest.PathMessage, bizppuriotest.PathFile, bizppuriotest.PathReport, bizppuriotest.PathPoll, bizppuriotest.PathConfirm,
		} {
			if a, err := cl.do(cl.request(path, c.auth, "")); err != nil || code(a) != c.want {
				t.Errorf("%s with %s: %q, %v, want %d", path, name, a.body, err, c.want)
			}
		}
	}
}

// Case 81: bad parameters do not pass.
func TestMessage_Refused(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	const good = `{"account":"acct01","refkey":"order-1","type":"sms","from":"0200000000","to":"01000000000","content":{"sms":{"message":"hello"}}}`
	for name, c := range map[string]struct {
		old, replace string
		want         int
	}{
		"not JSON":                    {good, `<html>`, 3014},
		"an array":                    {good, `[]`, 3014},
		"something behind":            {good, good + `x`, 3014},
		"cut":                         {`}}}`, `}}`, 3014},
		"a key twice":                 {`"type":"sms"`, `"type":"sms","type":"sms"`, 3014},
		"a number as text":            {`"01000000000"`, `1000000000`, 3014},
		"an unknown field":            {`"type"`, `"idempotencykey":"x","type"`, 3014},
		"a field of ours":             {`"type"`, `"ad":true,"type"`, 3014},
		"another account":             {`acct01`, `acct02`, 3004},
		"no account":                  {`"account":"acct01",`, ``, 3004},
		"no refkey":                   {`"refkey":"order-1",`, ``, 2000},
		"a refkey of 33 bytes":        {`order-1`, strings.Repeat("k", 33), 2000},
		"no type":                     {`"type":"sms",`, ``, 2000},
		"no from":                     {`"from":"0200000000",`, ``, 2000},
		"no to":                       {`"to":"01000000000",`, ``, 2000},
		"a hyphen":                    {`01000000000`, `010-0000-0000`, 2000},
		"17 digits":                   {`01000000000`, `01000000000000000`, 2000},
		"no content":                  {`,"content":{"sms":{"message":"hello"}}`, ``, 2000},
		"content of another type":     {`"type":"sms"`, `"type":"lms"`, 2000},
		"content of two types":        {`{"sms":`, `{"lms":{"message":"x"},"sms":`, 2000},
		"a text of 91 bytes":          {`hello`, strings.Repeat("x", 91), 2000},
		"a text that EUC-KR lacks":    {`hello`, "😀", 2000},
		"sendtime as words":           {`"type"`, `"sendtime":"tomorrow!!","type"`, 2000},
		"sendtime in a year":          {`"type"`, fmt.Sprintf(`"sendtime":"%d","type"`, time.Now().AddDate(1, 0, 0).Unix()), 2000},
		"a reseller code of 8 digits": {`"type"`, `"resellercode":"12345678","type"`, 2000},
	} {
		body := strings.Replace(good, c.old, c.replace, 1)
		if body == good {
			t.Fatalf("%s: nothing replaced", name)
		}
		if a := cl.must(bizppuriotest.PathMessage, body); code(a) != c.want || a.status != 400 {
			t.Errorf("%s: %d %q, want 400 with %d", name, a.status, a.body, c.want)
		}
	}
	if got := s.TotalAccepted(); got != 0 {
		t.Errorf("TotalAccepted() = %d, want 0", got)
	}
	a := cl.must(bizppuriotest.PathMessage, good)
	key, _ := a.json["messagekey"].(string)
	if !regexp.MustCompile(`^\d{15}#sms\d{6}[a-z0-9]{8}$`).MatchString(key) {
		t.Errorf("messagekey = %q, want the observed shape", key)
	}
}

func TestServer_UnknownPath(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithPathPrefix("vendor/"))
	cl := newClient(t, s)
	if !strings.HasSuffix(s.URL(), "/vendor") {
		t.Fatalf("URL() = %q, want the prefix at its end", s.URL())
	}
	if a := cl.must(bizppuriotest.PathMessage, sms("order-1", to)); code(a) != 1000 {
		t.Errorf("below the prefix = %q, want 1000", a.body)
	}
	if a := cl.must("/v2/message", sms("order-2", to)); a.status != 404 || code(a) != 5001 {
		t.Errorf("unknown path = %d %q, want 404, 5001", a.status, a.body)
	}
	req := cl.request(bizppuriotest.PathMessage, "Bearer "+cl.token, sms("order-3", to))
	req.URL.Path = bizppuriotest.PathMessage
	if a, err := cl.do(req); err != nil || a.status != 404 || s.Accepted("order-3") != 0 {
		t.Errorf("without the prefix = %d %q, %v, want 404", a.status, a.body, err)
	}
	req = cl.request(bizppuriotest.PathMessage, "Bearer "+cl.token, "")
	req.Method = http.MethodGet
	if a, err := cl.do(req); err != nil || code(a) != 5001 {
		t.Errorf("GET = %q, %v, want 5001", a.body, err)
	}
}

// part is one part of an upload.
type part struct {
	name, file string
	data       []byte
}

func (c *client) upload(parts ...part) answer {
	c.tb.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for _, p := range parts {
		var pw io.Writer
		var err error
		if p.file != "" {
			pw, err = w.CreateFormFile(p.name, p.file)
		} else {
			pw, err = w.CreateFormField(p.name)
		}
		if err == nil {
			_, err = pw.Write(p.data)
		}
		if err != nil {
			c.tb.Fatal(err)
		}
	}
	_ = w.Close()
	if c.token == "" {
		c.login()
	}
	req := c.request(bizppuriotest.PathFile, "Bearer "+c.token, buf.String())
	req.Header.Set("Content-Type", w.FormDataContentType())
	a, err := c.do(req)
	if err != nil {
		c.tb.Fatal(err)
	}
	return a
}

func TestFile(t *testing.T) {
	t.Parallel()
	s, err := bizppuriotest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	cl := newClient(t, s)
	jpeg := func(size int) []byte { return append([]byte{0xFF, 0xD8}, make([]byte, size-2)...) }
	account := part{"account", "", []byte("acct01")}
	image := part{"file", "1.jpg", jpeg(300 << 10)}
	sendTime := func(at time.Time) part { return part{"sendtime", "", fmt.Append(nil, at.Unix())} }
	for name, c := range map[string]struct {
		parts []part
		want  int
	}{
		"good":              {[]part{account, image}, 0},
		"reserved":          {[]part{account, sendTime(time.Now().AddDate(0, 0, 29)), image}, 0},
		"no account":        {[]part{image}, 3004},
		"another account":   {[]part{{"account", "", []byte("acct02")}, image}, 3004},
		"no file":           {[]part{account}, 3014},
		"two files":         {[]part{account, image, image}, 3014},
		"300 KB and a byte": {[]part{account, {"file", "1.jpg", jpeg(300<<10 + 1)}}, 3014},
		"no JPEG":           {[]part{account, {"file", "1.png", []byte("\x89PNG")}}, 3014},
		"in 31 days":        {[]part{account, image, sendTime(time.Now().AddDate(0, 0, 31))}, 3014},
		"sendtime in words": {[]part{account, image, {"sendtime", "", []byte("tomorrow")}}, 3014},
	} {
		a := cl.upload(c.parts...)
		key, _ := a.json["filekey"].(string)
		if code(a) != c.want || (c.want == 0) != (key != "") {
			t.Errorf("%s: %q, want code %d", name, a.body, c.want)
		}
	}
	if a := cl.must(bizppuriotest.PathFile, `{}`); code(a) != 3014 {
		t.Errorf("JSON as a file = %q, want 3014", a.body)
	}
	if got := s.Violations(); len(got) != 1 {
		t.Errorf("Violations() = %q, want one for the JSON", got)
	}
}

// poll returns the reports that wait.
func (c *client) poll() []map[string]string {
	c.tb.Helper()
	a := c.must(bizppuriotest.PathPoll, `{"account":"acct01"}`)
	var body struct{ Report []map[string]string }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || code(a) != 1000 {
		c.tb.Fatalf("poll = %q, %v", a.body, err)
	}
	return body.Report
}

func TestPolling(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	if got := cl.poll(); len(got) != 0 {
		t.Fatalf("poll = %v, want none", got)
	}
	for i := range 3 {
		cl.must(bizppuriotest.PathMessage, sms(fmt.Sprint("order-", i), to))
	}
	first, again := cl.poll(), cl.poll()
	if len(first) != 3 || len(again) != 3 || first[0]["msgid"] != again[0]["msgid"] {
		t.Fatalf("poll, poll = %v, %v, want the same three", first, again)
	}
	r := first[1]
	if r["refkey"] != "order-1" || r["result"] != "4100" || r["media"] != "SMS" || r["phone"] != to || len(r["msgid"]) != 28 {
		t.Errorf("report = %v, want an SMS delivered", r)
	}
	a := cl.must(bizppuriotest.PathConfirm, fmt.Sprintf(`{"account":"acct01","msgid":[{"msgid":%q},{"msgid":"unknown"}]}`, r["msgid"]))
	if code(a) != 1000 {
		t.Errorf("confirm = %q, want 1000", a.body)
	}
	left := cl.poll()
	if len(left) != 2 || left[0]["refkey"] != "order-0" || left[1]["refkey"] != "order-2" || s.Reports() != 2 {
		t.Errorf("poll after a confirmation = %v, want the others", left)
	}
	for name, c := range map[string]struct {
		path, body string
		want       int
	}{
		"another account":     {bizppuriotest.PathPoll, `{"account":"x"}`, 3004},
		"no JSON":             {bizppuriotest.PathPoll, `x`, 3014},
		"account as a number": {bizppuriotest.PathPoll, `{"account":1}`, 3014},
		"confirm strings":     {bizppuriotest.PathConfirm, `{"account":"acct01","msgid":["x"]}`, 3014},
		"confirm none":        {bizppuriotest.PathConfirm, `{"account":"acct01","msgid":[]}`, 2000},
		"confirm an empty id": {bizppuriotest.PathConfirm, `{"account":"acct01","msgid":[{}]}`, 2000},
		"confirm 1,001": {bizppuriotest.PathConfirm, `{"account":"acct01","msgid":[` +
			strings.Repeat(`{"msgid":"x"},`, 1000) + `{"msgid":"x"}]}`, 2000},
		"confirm for another": {bizppuriotest.PathConfirm, `{"account":"x","msgid":[{"msgid":"x"}]}`, 3004},
		"push when polling":   {bizppuriotest.PathReport, `{"account":"acct01","messagekey":"x"}`, 5000},
	} {
		if a := cl.must(c.path, c.body); code(a) != c.want {
			t.Errorf("%s = %q, want %d", name, a.body, c.want)
		}
	}
}

func TestPolling_Gzip(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	cl.must(bizppuriotest.PathMessage, sms("order-1", to))
	req := cl.request(bizppuriotest.PathPoll, "Bearer "+cl.token, `{"account":"acct01"}`)
	req.Header.Set("Accept-Encoding", "gzip")
	a, err := cl.do(req)
	if err != nil || a.header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("poll = %v, %v, want gzip", a.header, err)
	}
	zr, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(zr); err != nil || !bytes.Contains(b, []byte("order-1")) {
		t.Errorf("inflated = %q, %v, want the report", b, err)
	}
}

// kakao returns the body of an alimtalk with SMS as its fallback.
func kakao(refKey, to string) string {
	return fmt.Sprintf(`{"account":"acct01","refkey":%q,"type":"at","from":"0200000000","to":%q,"userinfo":"dept1",
		"content":{"at":{"senderkey":"k","templatecode":"t","message":"hello"}},
		"resend":{"first":"sms"},"recontent":{"sms":{"message":"hello"}}}`, refKey, to)
}

// The recipients of the package comment that decide over reports.
func TestNumbers_Reports(t *testing.T) {
	t.Parallel()
	for to, want := range map[string][]string{
		"01000000000": {"KAT 7000"},
		"01012345678": {"KAT 7000"},
		"01000001001": {"KAT 7103", "SMS 4400"},
		"01000001002": {"KAT 7103", "SMS 4100"},
		"01000001003": {"KAT 7103 telres 4100"},
		"01000001005": {"KAT 7000", "KAT 7000"},
		"01000001006": nil,
		"01000001007": {"KAT 7305"},
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			cl := newClient(t, s)
			if a := cl.must(bizppuriotest.PathMessage, kakao("order-1", to)); code(a) != 1000 {
				t.Fatalf("message = %q", a.body)
			}
			var got []string
			ids := map[string]bool{}
			for _, r := range cl.poll() {
				line := r["media"] + " " + r["result"]
				if r["telres"] != "" {
					line += " telres " + r["telres"]
				}
				got = append(got, line)
				ids[r["msgid"]] = true
				if r["refkey"] != "order-1" || r["userdata"] != "dept1" {
					t.Errorf("report = %v, want the refkey and userdata of the message", r)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("reports = %q, want %q", got, want)
			}
			if to == "01000001005" && len(ids) != 1 {
				t.Errorf("a report that comes twice has %d ids, want 1", len(ids))
			}
		})
	}
}

// What is reported of a message that the vendor took but cannot deliver, and
// of each channel.
func TestReports(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithSenders("0200000000"))
	cl := newClient(t, s)
	a := cl.upload(part{"account", "", []byte("acct01")}, part{"file", "1.jpg", []byte{0xFF, 0xD8}})
	uploaded, _ := a.json["filekey"].(string)
	body := func(kind, from, extra, content string) string {
		return fmt.Sprintf(`{"account":"acct01","refkey":"r","type":%q,"from":%q,"to":"01000000000",%s"content":{%[1]q:%[4]s}}`, kind, from, extra, content)
	}
	const text, mine, other = `{"message":"x"}`, "0200000000", "0311234567"
	for name, c := range map[string]struct{ body, want string }{
		"sms":                     {body("sms", mine, "", text), "SMS 4100"},
		"sms from elsewhere":      {body("sms", other, "", text), "SMS 4434"},
		"lms from elsewhere":      {body("lms", other, "", text), "LMS 6631"},
		"alimtalk from elsewhere": {body("at", other, "", `{"senderkey":"k","templatecode":"t","message":"x"}`), "KAT 7000"},
		"lms":                     {body("lms", mine, "", text), "LMS 6600"},
		"sms abroad":              {body("sms", mine, `"country":"1",`, text), "ISM 4100"},
		"lms abroad":              {body("lms", mine, `"country":"1",`, text), "ILM 6600"},
		"mms":                     {body("mms", mine, "", fmt.Sprintf(`{"file":[{"type":"IMG","key":%q}]}`, uploaded)), "MMS 6600"},
		"mms with another file":   {body("mms", mine, "", `{"file":[{"type":"IMG","key":"x"}]}`), "MMS 9017"},
		"brand message":           {body("ut", mine, "", `{"senderkey":"k","brandmessagetype":"FREE","sendtarget":"friend","message":"x"}`), "UTF 7000"},
		"friendtalk":              {body("ft", mine, "", `{"senderkey":"k","message":"x"}`), "KFT 7000"},
		"talktalk":                {body("ntalk", mine, "", `{"partnerid":"p","partnerkey":"k","productcode":"INFORMATION","templatecode":"t"}`), "NIT 5000"},
		"rcs":                     {body("rcs", mine, "", `{"messagebaseid":"SS000000","chatbotid":"c","header":"0","message":{"description":"x"}}`), "RSS 8000"},
	} {
		if a := cl.must(bizppuriotest.PathMessage, c.body); code(a) != 1000 {
			t.Errorf("%s = %q, want 1000", name, a.body)
			continue
		}
		reports := cl.poll()
		if len(reports) != 1 || reports[0]["media"]+" "+reports[0]["result"] != c.want {
			t.Errorf("%s: reports %v, want %s", name, reports, c.want)
		}
		for _, r := range reports {
			cl.must(bizppuriotest.PathConfirm, fmt.Sprintf(`{"account":"acct01","msgid":[{"msgid":%q}]}`, r["msgid"]))
		}
	}
}

// A reserved message is not reported before its time.
func TestReports_Reserved(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	body := strings.Replace(sms("order-1", to), `{"account"`, fmt.Sprintf(`{"sendtime":"%d","account"`, time.Now().Add(time.Hour).Unix()), 1)
	if a := cl.must(bizppuriotest.PathMessage, body); code(a) != 1000 {
		t.Fatalf("message = %q", a.body)
	}
	if got := cl.poll(); len(got) != 0 {
		t.Errorf("poll = %v, want none yet", got)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	pushes := make(chan map[string]string, 10)
	answers := make(chan int, 10)
	hook := webhook(t, func(w http.ResponseWriter, r *http.Request) {
		var report map[string]string
		if err := json.NewDecoder(r.Body).Decode(&report); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("push = %v, %v, want JSON", r.Header, err)
		}
		pushes <- report
		w.WriteHeader(<-answers)
	})
	s := bizppuriotest.NewServer(t, bizppuriotest.WithWebhook(hook))
	cl := newClient(t, s)
	answers <- 500
	answers <- 200
	a := cl.must(bizppuriotest.PathMessage, sms("order-1", to))
	first, second := <-pushes, <-pushes
	if first["REFKEY"] != "order-1" || first["RESULT"] != "4100" || first["CMSGID"] != a.json["messagekey"] || first["refkey"] != "" {
		t.Errorf("push = %v, want upper-case keys", first)
	}
	if first["MSGID"] != second["MSGID"] {
		t.Errorf("after a 500 came %v, want the same report", second)
	}
	again := fmt.Sprintf(`{"account":"acct01","messagekey":%q}`, a.json["messagekey"])
	answers <- 200
	if a := cl.must(bizppuriotest.PathReport, again); code(a) != 1000 {
		t.Errorf("report = %q, want 1000", a.body)
	}
	if got := <-pushes; got["MSGID"] != first["MSGID"] {
		t.Errorf("pushed again = %v, want the same report", got)
	}
	silent := cl.must(bizppuriotest.PathMessage, sms("order-2", "01000001006"))
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"no result yet":   {fmt.Sprintf(`{"account":"acct01","messagekey":%q}`, silent.json["messagekey"]), 3013},
		"unknown":         {`{"account":"acct01","messagekey":"x"}`, 3012},
		"none":            {`{"account":"acct01"}`, 2000},
		"another account": {`{"account":"x","messagekey":"x"}`, 3004},
	} {
		if a := cl.must(bizppuriotest.PathReport, c.body); code(a) != c.want {
			t.Errorf("%s: report = %q, want %d", name, a.body, c.want)
		}
	}
	eventually(t, func() bool { return s.Reports() == 0 }, "a report waits although it was answered with 200")
}
