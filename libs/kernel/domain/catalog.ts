import type { DomainEvent } from './event.js';

/** Converts the data of one schema version to the next version. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** How events of one type are stored. */
export interface EventSpec {
  /** The present schema version, from 1. */
  version: number;
  /** `upcasters[n]` converts version n to version n+1. Each version below `version` must have an upcaster. */
  upcasters?: Record<number, Upcaster>;
  /** The top-level fields with personal data. They are encrypted with the key of the subject that the field `subject` names. */
  personal?: { subject: string; fields: string[] };
}

/** The stored vocabulary of one aggregate: its event types, their versions and their upcasters. */
export type EventCatalog<E extends DomainEvent> = { readonly [T in E['type']]: EventSpec };

/** Version 1 without upcasters, as most events have it. */
export const v1: EventSpec = { version: 1 };

/** Converts stored data to the present schema version. Throws if the data is newer than this program, or if an upcaster is missing. */
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
