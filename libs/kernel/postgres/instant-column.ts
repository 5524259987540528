import { Column, type ColumnOptions } from 'typeorm';
import type { Instant } from '#libs/kernel/core';

const toInstant = (value: Date | string | null): Instant | null =>
  value instanceof Date ? value.toISOString() : value;

/** A timestamptz column whose property is an {@link Instant} (text) and not a Date. */
export function InstantColumn(options: ColumnOptions = {}): PropertyDecorator {
  return Column('timestamptz', {
    ...options,
    transformer: { from: toInstant, to: (value: Instant | null) => value },
  });
}
