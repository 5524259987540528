import { Decimal, ExactNumber, parseDecimal } from '#libs/kernel/core';
import { usageBounds } from '../usage-bounds.js';
import type { EventRefusal } from './rejection.js';

const LARGEST = new Decimal(10).pow(100);
const SMALLEST = new Decimal(10).pow(-100);

/** Returns the properties as JSON text that jsonb accepts unchanged. If the properties are refused, returns the reason. */
export function readProperties(value: unknown): { json: string } | EventRefusal {
  if (value === undefined || value === null) return { json: '{}' };
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber)
    return { code: 'invalid_field', field: 'properties', reason: 'properties must be an object' };
  const refusal = refuse(value, 'properties', usageBounds.propertiesDepth);
  if (refusal) return refusal;
  const json = JSON.stringify(value);
  if (json.length > usageBounds.propertiesBytes || Buffer.byteLength(json) > usageBounds.propertiesBytes)
    return {
      code: 'properties_too_large',
      field: 'properties',
      reason: `properties must be at most ${usageBounds.propertiesBytes} bytes as JSON`,
    };
  return { json };
}

/**
 * Returns the refusal of properties, or undefined if they are accepted. The paths of properties are built only for errors, because this
 * function runs for every event.
 */
function refuse(value: object, path: string, levels: number): EventRefusal | undefined {
  if (levels === 0)
    return {
      code: 'properties_too_deep',
      field: 'properties',
      reason: `properties must be nested at most ${usageBounds.propertiesDepth} levels deep`,
    };
  const isList = Array.isArray(value);
  for (const key in value) {
    if (!isList) {
      if (key === '__proto__' || key === 'constructor' || key === 'prototype')
        return {
          code: 'forbidden_key',
          field: `${path}.${key}`,
          reason: `"${key}" is not allowed as a property`,
        };
      if (!isStorablePropertyText(key))
        return invalid(path, 'property names must be well-formed text without NUL');
    }
    const child = (value as Record<string, unknown>)[key];
    const wrong = wrongScalar(child);
    if (wrong !== undefined) return invalid(`${path}.${key}`, wrong);
    if (typeof child === 'object' && child !== null && !(child instanceof ExactNumber)) {
      const refusal = refuse(child, `${path}.${key}`, levels - 1);
      if (refusal) return refusal;
    }
  }
  return undefined;
}

function wrongScalar(value: unknown): string | undefined {
  if (typeof value === 'string')
    return isStorablePropertyText(value) ? undefined : 'text must be well-formed and without NUL';
  if (typeof value === 'number') return isStorableDouble(Math.abs(value)) ? undefined : NUMBER_EXPECTED;
  if (value instanceof ExactNumber) return isStorableNumber(value.text) ? undefined : NUMBER_EXPECTED;
  return undefined;
}

const NUMBER_EXPECTED = `numbers must be below 1e100 and above 1e-100, with at most ${usageBounds.numberLength} characters`;

function isStorableDouble(size: number): boolean {
  return size === 0 || (size < 1e100 && size > 1e-100);
}

function isStorableNumber(text: string): boolean {
  const decimal = text.length <= usageBounds.numberLength ? parseDecimal(text) : undefined;
  return (
    decimal !== undefined && (decimal.isZero() || (decimal.abs().lt(LARGEST) && decimal.abs().gt(SMALLEST)))
  );
}

/** Tells whether Postgres can store the text. A text that contains NUL or half of a surrogate pair cannot be stored. */
export function isStorablePropertyText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function invalid(field: string, reason: string): EventRefusal {
  return { code: 'invalid_field', field, reason: `${field}: ${reason}` };
}
