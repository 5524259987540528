import { decimalFromJson, decimalString, InvalidRequest, isObject, wrongValue } from '#libs/kernel/core';
import type { RateGroup } from './events.js';

/** The largest number of groups of one credit rate. */
export const MAX_RATE_GROUPS = 100;
const MAX_VALUE_LENGTH = 200;
const MAX_DIGITS = 15;
const MAX_CREDITS = `1e${MAX_DIGITS}`;

/**
 * Reads the `groups` of a rate from a parsed request body. Each group has the form `{when: {property: value}, creditsPerUnit}`. The value
 * of a property is text, true or false. Throws InvalidRequest with the name of the first wrong field, such as `groups[1].creditsPerUnit`.
 */
export function readRateGroups(input: unknown): RateGroup[] {
  if (!Array.isArray(input) || input.length > MAX_RATE_GROUPS)
    throw InvalidRequest.field(
      'groups',
      `must be a list of at most ${MAX_RATE_GROUPS} groups, each {"when": {"model": "large"}, "creditsPerUnit": 2}`,
    );
  return input.map((element: unknown, index) => readGroup(element, `groups[${index}]`));
}

function readGroup(element: unknown, field: string): RateGroup {
  if (!isObject(element)) throw InvalidRequest.field(field, 'must be an object with when and creditsPerUnit');
  const { when, creditsPerUnit, ...others } = element;
  const [other] = Object.keys(others);
  if (other !== undefined) throw InvalidRequest.field(`${field}.${other}`, 'is not a field of this request');
  const cost = decimalFromJson(creditsPerUnit);
  if (!cost || cost.isNegative() || cost.gte(MAX_CREDITS) || cost.decimalPlaces() > MAX_DIGITS)
    throw InvalidRequest.field(
      `${field}.creditsPerUnit`,
      wrongValue(
        creditsPerUnit,
        `must be a number of at least 0, with at most ${MAX_DIGITS} digits before and after the point`,
      ),
    );
  return { when: readWhen(when, `${field}.when`), creditsPerUnit: decimalString(cost) };
}

function readWhen(when: unknown, field: string): Record<string, string> {
  if (!isObject(when) || Object.keys(when).length === 0)
    throw InvalidRequest.field(field, wrongValue(when, 'must be an object of properties and their values'));
  return Object.fromEntries(
    Object.entries(when).map(([property, value]) => {
      const text = typeof value === 'boolean' ? String(value) : value;
      if (typeof text !== 'string' || text.length > MAX_VALUE_LENGTH)
        throw InvalidRequest.field(
          `${field}.${property}`,
          `must be text of at most ${MAX_VALUE_LENGTH} characters, true or false`,
        );
      return [property, text];
    }),
  );
}
