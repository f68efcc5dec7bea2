package kafka

import (
	"bytes"
	"crypto/subtle"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ClientName is the user as whom clients sign in with the key.
const ClientName = "commands"

// mechanism is the only SASL mechanism. The port is a loopback address, so the key crosses no
// network.
const mechanism = "PLAIN"

// access says what clients outside of this process may do. Connections made by Dial may do
// everything.
type access struct {
	key    string   // password of clients; "" if they need not sign in
	groups []string // consumer groups that only this process may change
}

// signsIn reports whether a request is one that clients send before they have signed in.
func signsIn(key int16) bool {
	return key == kmsg.ApiVersions.Int16() || key == kmsg.SASLHandshake.Int16() || key == kmsg.SASLAuthenticate.Int16()
}

// keeps reports whether a request would change a group that only this process uses: its members or
// its offsets.
func (a access) keeps(req kmsg.Request) bool {
	kept := func(group string) bool { return slices.Contains(a.groups, group) }
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		return kept(req.Group)
	case *kmsg.SyncGroupRequest:
		return kept(req.Group)
	case *kmsg.HeartbeatRequest:
		return kept(req.Group)
	case *kmsg.LeaveGroupRequest:
		return kept(req.Group)
	case *kmsg.OffsetCommitRequest:
		return kept(req.Group)
	case *kmsg.OffsetDeleteRequest:
		return kept(req.Group)
	case *kmsg.DeleteGroupsRequest:
		return slices.ContainsFunc(req.Groups, kept)
	}
	return false
}

// denied returns the answer to a request that keeps reports: the error GROUP_AUTHORIZATION_FAILED.
func denied(req kmsg.Request) kmsg.Response {
	code := kerr.GroupAuthorizationFailed.Code
	answer := req.ResponseKind()
	switch answer := answer.(type) {
	case *kmsg.JoinGroupResponse:
		answer.ErrorCode = code
	case *kmsg.SyncGroupResponse:
		answer.ErrorCode = code
	case *kmsg.HeartbeatResponse:
		answer.ErrorCode = code
	case *kmsg.LeaveGroupResponse:
		answer.ErrorCode = code
	case *kmsg.OffsetDeleteResponse:
		answer.ErrorCode = code
	case *kmsg.OffsetCommitResponse:
		for _, topic := range req.(*kmsg.OffsetCommitRequest).Topics {
			of := kmsg.NewOffsetCommitResponseTopic()
			of.Topic = topic.Topic
			for _, partition := range topic.Partitions {
				one := kmsg.NewOffsetCommitResponseTopicPartition()
				one.Partition, one.ErrorCode = partition.Partition, code
				of.Partitions = append(of.Partitions, one)
			}
			answer.Topics = append(answer.Topics, of)
		}
	case *kmsg.DeleteGroupsResponse:
		for _, group := range req.(*kmsg.DeleteGroupsRequest).Groups {
			one := kmsg.NewDeleteGroupsResponseGroup()
			one.Group, one.ErrorCode = group, code
			answer.Groups = append(answer.Groups, one)
		}
	}
	return answer
}

// handshake answers the choice of a SASL mechanism. After version 0 a client would send bytes that
// are no frames.
func (c *guardedConn) handshake(req *kmsg.SASLHandshakeRequest) (kmsg.Response, error) {
	answer := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
	answer.SupportedMechanisms = []string{mechanism}
	switch {
	case req.Version == 0:
		return nil, refuse("SASLHandshake version 0")
	case req.Mechanism != mechanism:
		answer.ErrorCode = kerr.UnsupportedSaslMechanism.Code
	default:
		c.chosen = true
	}
	return answer, nil
}

// authenticate checks the user and the key. A client that fails once has to connect again.
func (c *guardedConn) authenticate(req *kmsg.SASLAuthenticateRequest) (kmsg.Response, error) {
	answer := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
	if !c.chosen {
		return nil, refuse("SASLAuthenticate without SASLHandshake")
	}
	c.chosen = false
	// The user to act as, the user, and the password.
	parts := bytes.SplitN(req.SASLAuthBytes, []byte{0}, 3)
	if len(parts) == 3 && c.guard.access.key != "" && string(parts[1]) == ClientName &&
		(len(parts[0]) == 0 || string(parts[0]) == ClientName) &&
		subtle.ConstantTimeCompare(parts[2], []byte(c.guard.access.key)) == 1 {
		if !c.admitted && !c.guard.signedIn(c) {
			return nil, refuse("too many connections are open")
		}
		c.admitted = true
		return answer, nil
	}
	answer.ErrorCode = kerr.SaslAuthenticationFailed.Code
	message := "the user must be " + ClientName + ", with the key of this start of the log"
	answer.ErrorMessage = &message
	return answer, nil
}
