import type { DomainEvent } from '#libs/kernel/domain';

/** The rule that shows events of one type in the audit trail. */
export interface AuditTrailRule<Data extends object = Record<string, unknown>> {
  /** The action, as `<resource>.<verb in the past>`; the part before the dot is the type of the resource. */
  readonly action: `${string}.${string}`;
  /** The field with the resource's id. */
  readonly id: keyof Data & string;
  /**
   * The fields that are shown unchanged. Secrets and personal data are never shown, because entries outlive the data that they describe.
   */
  readonly show?: readonly (keyof Data & string)[];
  /** Fields that are shown in the same form as in other responses of the API, such as amounts. */
  readonly showAs?: { readonly [Field in keyof Data]?: (value: Data[Field]) => unknown };
  /**
   * True if the event contains the changed fields of a resource. The audit trail then shows the names of these fields, but not their
   * values.
   */
  readonly changes?: true;
}

/** The rule for events that the audit trail does not show, because only the program needs them. */
export const INTERNAL = 'internal';

/** A rule for every event of a context. The compiler reports an event type without a rule. */
export type AuditTrailRules<E extends DomainEvent> = {
  readonly [T in E['type']]: AuditTrailRule<Extract<E, { type: T }>['data']> | typeof INTERNAL;
};
