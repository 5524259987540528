import type { Type } from '@nestjs/common';
import type { PostingRules } from '#libs/contexts/ledger';
import type { AnyDecider, EventOf } from '#libs/kernel/domain';
import type { AuditRules } from './audit-rules.js';
import type { Background } from './background.js';
import type { Permissions } from './roles.js';
import type { Tables } from './tables.js';
import type { WebhookEventsOf } from './webhook-events.js';

/** What a context says of a part that it has nothing of. */
export const NONE = 'none';

/**
 * What a context gives to the programs: its `<context>.context.ts` exports one by default. Each program takes from the manifests what
 * it needs, so there is no other list of contexts. A part that is missing does not compile.
 */
export interface ContextManifest<D extends AnyDecider = AnyDecider> {
  /** One for each kind of stream. */
  readonly deciders: readonly D[];
  /** What each event is in the audit trail. */
  readonly auditRules: AuditRules<EventOf<D>>;
  /** How each event is posted in the ledger; {@link NONE} if nobody comes to owe, pay or earn anything by them. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- What rules leave for each other is known to the context alone.
  readonly postings: PostingRules<EventOf<D>, any> | typeof NONE;
  /** The resources of its endpoints, and who may use them; empty if they belong to another context's resources. */
  readonly permissions: Permissions;
  /** Prefixes of the ids that it makes: `inv` in `inv_01JD…`. */
  readonly idPrefixes: readonly string[];
  /** What it keeps beside its streams and the read models. */
  readonly tables: Tables | typeof NONE;
  /** What integrators hear of. */
  readonly webhooks: WebhookEventsOf<D> | typeof NONE;
  /** What the saga does for it: process managers, and whatever else runs by itself. */
  readonly background: Background | typeof NONE;
  /** Global modules by which it answers what contexts before it ask; for the API and the saga. */
  readonly answers: readonly Type[];
}

/** Declares a context. */
export function defineContext<const D extends AnyDecider>(manifest: ContextManifest<D>): ContextManifest<D> {
  return manifest;
}
