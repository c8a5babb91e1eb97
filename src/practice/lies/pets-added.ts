// Lies about what a new pet may be, its body, and sending it again.

import { headerOf } from '../messages.ts'
import type { Asked } from '../proxy.ts'
import { at, each, errorAnswer, header, type Lies, objectOf, put, replacing, sentHeader, type Told } from '../tell.ts'
import { type Exchange, remembering, withoutKeyWhileRunning } from './memory.ts'
import {
  added,
  adding,
  addingInstead,
  CREATE,
  categoryOf,
  depthOf,
  echoing,
  hasHeader,
  is,
  isJson,
  isMissing,
  isOutside,
  isUnknown,
  lastOfEqualNames,
  lengthOfName,
  number,
  RIGHT,
  refused,
  refusingToAdd,
  renumbering,
  rewriteName,
  sendingText,
} from './words.ts'

const ADDED: Lies = {
  'pets.create.location': added(header('Location', '/v1/pets/1')),
  'pets.create.request-id': added(header('X-Request-Id', undefined)),
  'pets.create.status.default': adding(replacing('status', isMissing, 'pending')),
  'pets.create.status.case': adding(replacing('status', is('Sold'), 'sold')),
  'pets.create.status.null': adding(replacing('status', is(null), undefined)),
  'pets.create.id.positive': renumbering((id) => -id),
  'pets.create.id.rising': renumbering((id) => 1_000_000n - id),
  'pets.create.id.ignored': added(echoing('id')),
  'pets.create.fields.unknown': refusingToAdd((asked) => [...objectOf(asked).keys()].some(isUnknown(FIELDS))),
  'pets.create.refused.code': refused(each(replacing('code', is('invalid_pet'), 'malformed_json'))),
  'pets.create.name.longest': refusingToAdd((asked) => lengthOfName(asked) > 250),
  'pets.create.name.too-long': adding(rewriteName((name) => name.slice(0, 255))),
  'pets.create.name.empty': adding(replacing('name', is(''), 'Rex')),
  'pets.create.name.blank': adding(rewriteName((name) => (/^\s+$/.test(name) ? 'Rex' : name))),
  'pets.create.name.nul': adding(rewriteName((name) => name.replaceAll('\0', ''))),
  'pets.create.name.surrogate': adding(rewriteName((name) => name.toWellFormed())),
  'pets.create.name.untrimmed': adding(rewriteName((name) => name.trim())),
  'pets.create.name.unnormalised': adding(rewriteName((name) => name.normalize('NFC'))),
  'pets.create.category-id.largest': refusingToAdd((asked) => categoryOf(asked) === '9223372036854775807'),
  'pets.create.category-id.smallest': refusingToAdd((asked) => categoryOf(asked) === '-9223372036854775808'),
  'pets.create.category-id.decimal': refusingToAdd((asked) => categoryOf(asked) === '7.0'),
  'pets.create.category-id.exponent': refusingToAdd((asked) => /^\d[\d.]*e\d$/i.test(categoryOf(asked))),
  'pets.create.category-id.minus-zero': refusingToAdd((asked) => categoryOf(asked) === '-0'),
  'pets.create.category-id.too-large': adding(replacing('categoryId', isOutside(/^\d{19,}$/), number(7))),
  'pets.create.category-id.too-small': adding(replacing('categoryId', isOutside(/^-\d{19,}$/), number(7))),
  'pets.create.category-id.huge-exponent': adding(replacing('categoryId', isOutside(/e\+?\d{5,}$/i), number(7))),
  'pets.create.category-id.small-exponent': adding(replacing('categoryId', isOutside(/e-\d{5,}$/i), number(0))),
  'pets.create.preconditions': refusingToAdd(hasHeader('If-Match', /./), 412, 'precondition_failed'),
}
const FIELDS = ['name', 'categoryId', 'status']

const BODIES: Lies = {
  'pets.create.json.empty': addingInstead(/^$/),
  'pets.create.json.broken': at(CREATE, 400, ({ body }) => !isJson(body)).answering(put('code', 'invalid_pet')),
  'pets.create.json.two-values': sendingText((text) => text.replace(/^(\s*\{[^{}]*\}).*$/s, '$1')),
  'pets.create.json.equal-names': sendingText(lastOfEqualNames),
  'pets.create.json.utf-8': sendingText((text) => text),
  'pets.create.json.byte-order-mark': sendingText((text) => text.replace(/^\ufeff/, '')),
  'pets.create.json.nesting': refusingToAdd(({ body }) => /[[{]{10}/.test(body.toString().replace(/"\w+":/g, ''))),
  'pets.create.json.nesting.too-deep': sendingText((text) => (depthOf(text) > 32 ? RIGHT : text)),
  'pets.create.size': refusingToAdd(({ body }) => body.length > 32_768, 413, 'body_too_large'),
  'pets.create.size.too-large': sendingText((text) => (text.length > 65_536 ? RIGHT : text)),
  'pets.create.media-type.none': refusingToAdd(
    (asked) => !hasHeader('Content-Type', /./)(asked),
    415,
    'unsupported_media_type',
  ),
  'pets.create.media-type.charset': refusingToAdd(hasHeader('Content-Type', /charset/), 415, 'unsupported_media_type'),
  'pets.create.media-type.other-charset': at(CREATE).asking(
    sentHeader('Content-Type', (type) => type.replace(/;.*/, '')),
  ),
  'pets.create.media-type.other': at(CREATE).asking(
    sentHeader('Content-Type', (type) => (type.startsWith('text/') ? undefined : type)),
  ),
  'pets.create.content-encoding': at(CREATE, 415).answering(header('Accept-Encoding', undefined)),
  'pets.create.chunked': refusingToAdd(hasHeader('Transfer-Encoding', /./), 411, 'length_required'),
}

const KEY = 'Idempotency-Key'
const repeating = (change: (key: string) => string | undefined): Told => at(CREATE).asking(sentHeader(KEY, change))
const REPEATS: Lies = {
  'pets.create.idempotency.replay': repeating(() => undefined),
  'pets.create.idempotency.replayed-header': added(header('Idempotency-Replayed', undefined)),
  'pets.create.idempotency.quotes': repeating((key) => key.replace(/^"(.{1,250})"$/, '"$1-quoted"')),
  'pets.create.idempotency.meaning': remembering(KEY, (asked, first) =>
    isSameBody(asked, first) ? undefined : errorAnswer(422, 'idempotency_mismatch'),
  ),
  'pets.create.idempotency.mismatch': remembering(KEY, (asked, first) =>
    isSameBody(asked, first) ? undefined : first.answered,
  ),
  'pets.create.idempotency.refused': remembering(KEY, (_, { answered }) =>
    answered.status >= 400 ? answered : undefined,
  ),
  'pets.create.idempotency.longest': refusingToAdd(hasHeader(KEY, /.{200}/), 400, 'invalid_parameter'),
  'pets.create.idempotency.invalid': at(CREATE, 400).askingAgain(sentHeader(KEY, () => undefined)),
  'pets.create.idempotency.together': withoutKeyWhileRunning,
  'pets.create.idempotency.other-key': remembering(KEY, (asked, first) =>
    isSameKey(asked, first) ? undefined : first.answered,
  ),
}

function isSameBody(asked: Asked, first: Exchange): boolean {
  return asked.body.equals(first.asked.body)
}

function isSameKey(asked: Asked, first: Exchange): boolean {
  return headerOf(asked.headers, 'Authorization') === headerOf(first.asked.headers, 'Authorization')
}

export const PETS_ADDED_LIES: Lies = { ...ADDED, ...BODIES, ...REPEATS }
