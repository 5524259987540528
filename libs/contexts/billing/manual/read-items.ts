import {
  decimalString,
  InvalidRequest,
  SINGLE_LINE_TEXT,
  decimalFromJson,
  parseInstant,
  type DecimalString,
  type FieldError,
  type Instant,
  wrongValue,
} from '#libs/kernel/core';
import type { InvoiceItem } from '#libs/rating';
import { MAX_TAXES_PER_INVOICE } from '#libs/contexts/taxes';

const MAX_ITEMS = 500;
const MAX_TEXT = 500;
/**
 * The maximum number of digits of a quantity or a price, before and after the decimal point. The product of two numbers within this limit
 * is still exact.
 */
const MAX_DIGITS = 15;
/** The ids that a request can name, as everywhere in the API. An id is a part of a stream's name, which has a maximum length. */
const TAX_RATE_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The limits for the lines of a request for a manual invoice. The OpenAPI document quotes them. */
export const ITEM_LIMITS = { items: MAX_ITEMS, textLength: MAX_TEXT, numberBelow: 10 ** MAX_DIGITS } as const;

const ITEM_FIELDS = ['description', 'quantity', 'unitPrice', 'periodStart', 'periodEnd', 'taxRateIds'];

/**
 * Reads `lines` from a parsed request body: a list of `{description, quantity?, unitPrice, periodStart?, periodEnd?, taxRateIds?}`. A line
 * without a quantity has the quantity 1, and a line without a period has the instant `now` as its period. The unit price of a line can be
 * negative. Throws InvalidRequest that names every wrong field.
 */
export function readInvoiceItems(input: unknown, now: Instant): InvoiceItem[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_ITEMS)
    throw validationFailed([
      {
        field: 'lines',
        message: `must be a list of 1 to ${MAX_ITEMS} {"description": "…", "quantity": 1, "unitPrice": 100}`,
      },
    ]);
  const errors: FieldError[] = [];
  const items = input.map((element: unknown, i) => readItem(element, `lines[${i}]`, now, errors));
  if (errors.length > 0) throw validationFailed(errors);
  return items;
}

function readItem(element: unknown, field: string, now: Instant, errors: FieldError[]): InvoiceItem {
  const given = Object(element) as Record<string, unknown>;
  const wrong = (name: string, message: string): void =>
    void errors.push({ field: `${field}.${name}`, message });
  for (const name of Object.keys(given))
    if (!ITEM_FIELDS.includes(name)) wrong(name, 'is not a field of a line');
  const { description, quantity: units, unitPrice: price, periodStart, periodEnd } = given;
  const text = typeof description === 'string' ? description : '';
  if (text.trim() === '' || text.length > MAX_TEXT || !SINGLE_LINE_TEXT.test(text))
    wrong(
      'description',
      wrongValue(
        description,
        `must be text of 1 to ${MAX_TEXT} characters on one line, without marks that turn its direction`,
      ),
    );
  const number = (name: string, value: unknown, least: string): DecimalString => {
    const read = readNumber(value);
    const isFine = read !== undefined && (least === '' || !read.startsWith('-'));
    if (!isFine)
      wrong(
        name,
        wrongValue(
          value,
          `must be a number${least}, with at most ${MAX_DIGITS} digits on either side of the point`,
        ),
      );
    return isFine ? read : '0';
  };
  const quantity = units === undefined ? '1' : number('quantity', units, ' of at least 0');
  const unitPrice = number('unitPrice', price, '');
  const instant = (name: string, value: unknown): Instant | undefined => {
    const read = typeof value === 'string' ? parseInstant(value) : undefined;
    if (value !== undefined && read === undefined)
      wrong(name, 'must be an ISO 8601 timestamp with a time zone, such as 2026-01-31T00:00:00Z');
    return read;
  };
  const start = instant('periodStart', periodStart);
  const end = instant('periodEnd', periodEnd);
  if ((periodStart === undefined) !== (periodEnd === undefined))
    wrong('periodEnd', 'must be given with periodStart, or both left out');
  else if (start !== undefined && end !== undefined && end <= start)
    wrong('periodEnd', 'must be after periodStart');
  const { taxRateIds = null } = given;
  const isList =
    Array.isArray(taxRateIds) && taxRateIds.length <= MAX_TAXES_PER_INVOICE && taxRateIds.every(isId);
  if (taxRateIds !== null && !isList)
    wrong(
      'taxRateIds',
      `must be a list of at most ${MAX_TAXES_PER_INVOICE} ids of tax rates, or left out for those of the customer`,
    );
  return {
    description: text,
    quantity,
    unitPrice,
    period: { start: start ?? now, end: end ?? now },
    ...(isList ? { taxRateIds: taxRateIds } : {}),
  };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && TAX_RATE_ID.test(value);
}

function readNumber(value: unknown): DecimalString | undefined {
  const decimal = decimalFromJson(value);
  if (!decimal || decimal.abs().gte(`1e${MAX_DIGITS}`)) return undefined;
  return decimal.decimalPlaces() > MAX_DIGITS ? undefined : decimalString(decimal);
}

function validationFailed(errors: FieldError[]): InvalidRequest {
  const message = errors.map((error) => `${error.field} ${error.message}`).join('; ');
  return new InvalidRequest('validation_failed', message, errors);
}
