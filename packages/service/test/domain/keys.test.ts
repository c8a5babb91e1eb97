// API keys: format, check characters, environment, expiry, and the messages of rejections.

import { expect, test } from 'bun:test'
import {
  type ApiKey,
  foreignKey,
  generateKey,
  hashKey,
  keyEnvironment,
  keyName,
  keyState,
  refusedKey,
} from '../../src/domain/keys.ts'

test('a key contains its environment, at least 128 random bits, and six check characters', () => {
  expect(generateKey('production')).toMatch(/^pets_live_[0-9A-Za-z]{28}$/)
  expect(generateKey('staging')).toMatch(/^pets_test_[0-9A-Za-z]{28}$/)
  expect(22 * Math.log2(62)).toBeGreaterThan(128)
  expect(keyEnvironment(generateKey('production'))).toBe('production')
  expect(keyEnvironment(generateKey('staging'))).toBe('staging')
})

test('a key is unique, and uses every character', () => {
  const keys = Array.from({ length: 2_000 }, () => generateKey('production').slice(10, 32))
  expect(new Set(keys).size).toBe(keys.length)
  expect(new Set(keys.join('')).size).toBe(62)
})

test('a key is invalid if one character is changed, or two are exchanged', () => {
  const key = generateKey('production')
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'a' ? 'b' : 'a'
    expect(keyEnvironment(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined()
    const exchanged = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2)
    if (exchanged !== key) expect(keyEnvironment(exchanged)).toBeUndefined()
  }
  for (const text of ['', `${key} `, ` ${key}`, `${key}0`, key.replace('live', 'test')]) {
    expect(keyEnvironment(text)).toBeUndefined()
  }
})

test('a key is stored as its SHA-256', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' as never)
})

test('a key is valid until its expiry, to the millisecond, or its revocation', () => {
  const key = { expiresAt: 10 } as ApiKey
  expect(keyState(key, 9)).toBe('active')
  expect(keyState(key, 10)).toBe('expired')
  expect(keyState({ ...key, expiresAt: undefined }, Number.MAX_SAFE_INTEGER)).toBe('active')
  expect(keyState({ ...key, revokedAt: 5 }, 20)).toBe('revoked')
})

test('the name of a key has 1 to 100 printable characters, and is not a number', () => {
  for (const name of ['a', 'till 3', '7th', '🐕'.repeat(100)]) expect(keyName(` ${name} `)).toBe(name)
  const sentence = 'must have 1 to 100 printable characters, and not only digits'
  for (const name of ['', ' ', '12', 'a\nb', 'a\u001b[31m', '🐕'.repeat(101)])
    expect(() => keyName(name)).toThrow(sentence)
})

test.each([
  [refusedKey('unknown'), 'This API key does not exist.'],
  [refusedKey('expired'), 'This API key is expired.'],
  [refusedKey('revoked'), 'This API key is revoked.'],
  [foreignKey(undefined, 'production'), 'This is not an API key of this service, or it is mistyped.'],
  [foreignKey('staging', 'production'), 'This API key is for staging, not for production.'],
])('the rejection of a key: %s', (refusal, message) => {
  expect(refusal).toMatchObject({ code: 'invalid_api_key', message })
})
