import type { DomainEvent } from './event.js';

/** Converts the data of one schema version to the next version. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** The storage of the events of one type: schema version, upcasters and personal fields. */
export interface EventSpec {
  /** The present schema version, from 1. */
  version: number;
  /** `upcasters[n]` converts version n to version n+1. Each version below `version` must have an upcaster. */
  upcasters?: Record<number, Upcaster>;
  /**
   * The fields with personal data. Personal fields are encrypted with the key of the subject, which is the customer, user or invitation
   * that the data belongs to. A field can be a path: `note.memo`, or `lines.*.description` for each element of a list. Values that were
   * stored unencrypted are read unchanged, so an existing field can become personal without a new schema version. The fields of an event
   * whose subject is null are not encrypted.
   */
  personal?: PersonalFields;
}

/**
 * The personal fields of an event type. `subject` is the name of the field with the subject's id. `fieldsIf` returns further personal
 * fields, depending on the event's other fields.
 */
export interface PersonalFields {
  subject: string;
  fields: readonly string[];
  fieldsIf?: (data: Record<string, unknown>) => readonly string[];
}

/** Returns the paths of the personal fields of an event with this data. */
export function personalFieldsOf(
  { fields, fieldsIf }: PersonalFields,
  data: Record<string, unknown>,
): readonly string[] {
  return fieldsIf ? [...fields, ...fieldsIf(data)] : fields;
}

/**
 * Returns a copy of the data in which each personal value was replaced. Fields that are absent or null stay unchanged. The data must be
 * JSON.
 */
export function mapPersonalFields<Data extends object>(
  data: Data,
  fields: readonly string[],
  replace: (value: unknown) => unknown,
): Data {
  const changed = fields.reduce<unknown>(
    (before, field) => replaceAt(before, field.split('.'), replace),
    data,
  );
  return changed as Data;
}

function replaceAt(value: unknown, path: readonly string[], replace: (value: unknown) => unknown): unknown {
  if (value === undefined || value === null) return value;
  const [name, ...rest] = path;
  if (name === undefined) return replace(value);
  if (name === '*')
    return Array.isArray(value) ? value.map((element) => replaceAt(element, rest, replace)) : value;
  if (typeof value !== 'object' || !Object.hasOwn(value, name)) return value;
  const before = (value as Record<string, unknown>)[name];
  return { ...value, [name]: replaceAt(before, rest, replace) };
}

/** The stored vocabulary of one aggregate: its event types, their versions and their upcasters. */
export type EventCatalog<E extends DomainEvent> = { readonly [T in E['type']]: EventSpec };

/** The storage of an event type at schema version 1, without upcasters, as most event types have it. */
export const v1: EventSpec = { version: 1 };

/**
 * Converts stored data to the present schema version. Throws if the data has a newer schema version than this program knows, or if an
 * upcaster is missing.
 */
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
