import type { Type } from '@nestjs/common';
import type { PostingRules } from '#libs/contexts/ledger';
import type { AnyDecider, EventOf } from '#libs/kernel/domain';
import type { AuditRules } from './audit-rules.js';
import type { Background } from './background.js';
import type { Permissions } from './permissions.js';
import type { Tables } from './tables.js';
import type { WebhookEventsOf } from './webhook-events.js';

/** The value of a manifest part that the context does not have. */
export const NONE = 'none';

/**
 * The manifest of a context: everything that it gives to the programs. `<context>.context.ts` exports one by default. Each program takes
 * its lists from the manifests, so no other list of contexts exists. A part that is missing does not compile.
 */
export interface ContextManifest<D extends AnyDecider = AnyDecider> {
  /** One for each kind of stream. */
  readonly deciders: readonly D[];
  /** How each event is shown in the audit trail. */
  readonly auditRules: AuditRules<EventOf<D>>;
  /** How each event is posted in the ledger; {@link NONE} if its events do not change what anybody owes, pays or earns. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- What rules leave for each other is known to the context alone.
  readonly postings: PostingRules<EventOf<D>, any> | typeof NONE;
  /** The resources of its endpoints, and who may use them; empty if they belong to another context's resources. */
  readonly permissions: Permissions;
  /** Prefixes of the ids that it makes: `inv` in `inv_01JD…`. */
  readonly idPrefixes: readonly string[];
  /** The tables that it keeps beside its streams and the read models. */
  readonly tables: Tables | typeof NONE;
  /** The events that integrators receive. */
  readonly webhooks: WebhookEventsOf<D> | typeof NONE;
  /** The work of the saga for it: process managers and other background work. */
  readonly background: Background | typeof NONE;
  /** Global modules by which it answers what contexts before it ask; for the API and the saga. */
  readonly answers: readonly Type[];
}

/** Declares a context. */
export function defineContext<const D extends AnyDecider>(manifest: ContextManifest<D>): ContextManifest<D> {
  return manifest;
}
