import type { DomainEvent } from './event.js';

/** Turns the data of one schema version into the next one's. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** How events of one type are stored. */
export interface EventSpec {
  /** Today's schema version, from 1. */
  version: number;
  /** `upcasters[n]` makes version n+1 of version n; all of 1 … version-1 must be there. */
  upcasters?: Record<number, Upcaster>;
  /** Top-level fields with personal data, encrypted with the key of the subject named by `subject`. */
  personal?: { subject: string; fields: string[] };
}

/** The stored vocabulary of one aggregate: its event types, their versions and their upcasters. */
export type EventCatalog<E extends DomainEvent> = { readonly [T in E['type']]: EventSpec };

/** Version 1 without upcasters: what most events are. */
export const v1: EventSpec = { version: 1 };

/** Brings stored data up to today's shape. Throws if the data is newer than this program, or a step is missing. */
export function upcast(
  type: string,
  spec: EventSpec,
  data: Record<string, unknown>,
  version: number,
): Record<string, unknown> {
  if (version > spec.version)
    throw new Error(`${type} has schema version ${version}, but this program knows only ${spec.version}`);
  let current = data;
  for (let from = version; from < spec.version; from++) {
    const step = spec.upcasters?.[from];
    if (!step) throw new Error(`${type} has no upcaster from schema version ${from}`);
    current = step(current);
  }
  return current;
}
