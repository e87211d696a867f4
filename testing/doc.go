/*
Package bizppuriotest is for testing code that sends messages through
Bizppurio. Its folder is named testing, so import it by name:

	import bizppuriotest "github.com/go-bizppurio/sdk/testing"

A [Fake] is a sender in memory, for unit tests. A [Server] is the vendor,
simulated over TLS on a loopback address, for tests from end to end: it checks
what the vendor checks, counts what it accepted by refkey, and misbehaves on
request. [CheckSender] tells whether a Sender of your own keeps the contract.

# Recipients

Some recipient numbers decide what happens, with the Fake as with the Server,
so that a test needs no set-up. Every other number is accepted and delivered.
After an acceptance, the reports of the Server tell:

	010-0000-0000  delivered
	010-0000-1001  failed, on every channel
	010-0000-1002  the first channel failed, the fallback delivered: two reports
	010-0000-1003  the same, in fields of one report
	010-0000-1004  delivered, reported 2 s later than others
	010-0000-1005  delivered, reported twice under the same MSGID
	010-0000-1006  nothing, ever
	010-0000-1007  uncertain, on Kakao (7305)

The last digits may be a code of the vendor's or a status of HTTP:

	010-0000-2000, 3000 to 3014, 5001 to 5005, 9000  refused with that code
	010-0000-0301, 0302, 0303, 0305, 0307, 0308      redirected
	010-0000-0400 to 0599                            a page of HTML with that status

Or something that happens to connections:

	010-0000-6001  accepted, then the connection is closed: Unknown
	010-0000-6002  accepted, then the connection is reset: Unknown
	010-0000-6003  accepted, never answered: Unknown
	010-0000-6004  read and closed, not accepted: Unknown
	010-0000-6005  read and reset, not accepted: Unknown
	010-0000-6006  read, never answered, not accepted: Unknown
	010-0000-6007  accepted, the answer breaks off: Unknown
	010-0000-6008  accepted, the answer is that of another message: Unknown
	010-0000-6009  busy (3008) the first time that a refkey comes, then accepted
	010-0000-6010  rate limited (5002) the first time, then accepted
	010-0000-6011  the token is revoked the first time, then accepted
	010-0000-6012  accepted after a second

What a client makes of them is written at [send.Outcome]; the Fake returns
the same verdicts, at once.
*/
package bizppuriotest
