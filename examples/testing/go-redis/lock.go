// Package lock has a lock with a time to live, by go-redis: the code under test, as it could stand in a project of yours.
package lock

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock is one attempt at a lock. Whoever holds it is told by a token that nobody else has.
type Lock struct {
	rdb   *redis.Client
	name  string
	token string
	ttl   time.Duration
}

// New makes an attempt at the lock of that name. Without a time to live go-redis would take it for ever.
func New(rdb *redis.Client, name string, ttl time.Duration) *Lock {
	token := make([]byte, 16)
	_, _ = rand.Read(token) // it never fails
	return &Lock{rdb: rdb, name: name, token: hex.EncodeToString(token), ttl: ttl}
}

// Acquire takes the lock, and answers a fencing number; it is not taken when somebody else holds it. Both happen in one
// transaction, so that whoever takes the lock later has a larger number.
func (l *Lock) Acquire(ctx context.Context) (fence int64, taken bool, err error) {
	pipe := l.rdb.TxPipeline()
	set := pipe.SetNX(ctx, l.name, l.token, l.ttl)
	incr := pipe.Incr(ctx, l.name+":fence") // whoever is refused takes a number too: they only have to grow
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, false, err
	}
	return incr.Val(), set.Val(), nil
}

// Renew lets the time to live begin again; false when the lock is no longer ours, and then the work must stop.
func (l *Lock) Renew(ctx context.Context) (bool, error) {
	err := l.rdb.SetIFEQ(ctx, l.name, l.token, l.token, l.ttl).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// Release gives the lock back; false when it was no longer ours, and then nobody loses it.
func (l *Lock) Release(ctx context.Context) (bool, error) {
	n, err := l.rdb.DelExArgs(ctx, l.name, redis.DelExArgs{Mode: "IFEQ", MatchValue: l.token}).Result()
	return n == 1, err
}

// Evict takes the lock from the holder whose token has this digest, as DIGEST told it, and from nobody who came later.
func Evict(ctx context.Context, rdb *redis.Client, name string, digest uint64) (bool, error) {
	n, err := rdb.DelExArgs(ctx, name, redis.DelExArgs{Mode: "IFDEQ", MatchDigest: digest}).Result()
	return n == 1, err
}
