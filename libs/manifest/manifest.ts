import type { Type } from '@nestjs/common';
import type { PostingRules } from '#libs/contexts/ledger';
import type { AnyDecider, EventOf } from '#libs/kernel/domain';
import type { AuditTrailRules } from './audit-trail-rules.js';
import type { BackgroundWork } from './background.js';
import type { CustomerDataPart } from './customer-data.js';
import type { PersonalDataEraser } from './personal-data.js';
import type { Permissions } from './permissions.js';
import type { Tables } from './tables.js';
import type { WebhookEventsOf } from './webhook-events.js';

/** The value of a manifest part that the context does not have. */
export const NONE = 'none';

/**
 * The manifest of a context lists everything that the context adds to the programs. A context's manifest is the default export of
 * `<context>.context.ts`. The programs build their lists from the manifests, so no other list of contexts exists. The compiler reports a
 * manifest in which a part is missing.
 */
export interface ContextManifest<D extends AnyDecider = AnyDecider> {
  /** The deciders of the context, one for each kind of stream. */
  readonly deciders: readonly D[];
  /** The rules that show each event in the audit trail. */
  readonly auditTrailRules: AuditTrailRules<EventOf<D>>;
  /** The rules that post each event in the ledger, or {@link NONE} if no event changes debts, payments or revenue. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- Only the context knows the data that its rules share.
  readonly postings: PostingRules<EventOf<D>, any> | typeof NONE;
  /**
   * The resources of the context's endpoints and the roles that may use them. Empty if the context's endpoints belong to resources of other
   * contexts.
   */
  readonly permissions: Permissions;
  /** The prefixes of the ids that the context makes: `inv` in `inv_01JD…`. */
  readonly idPrefixes: readonly string[];
  /** The tables of the context that are neither streams nor read models. */
  readonly tables: Tables | typeof NONE;
  /** The events that integrators receive. */
  readonly webhooks: WebhookEventsOf<D> | typeof NONE;
  /** The process managers and other background work that the saga runs for the context. */
  readonly background: BackgroundWork | typeof NONE;
  /**
   * The classes that erase personal data which the context stores outside of events and read models. Empty if the context stores no
   * personal data outside of events and read models. The modules of `background` export the classes that erase personal data.
   */
  readonly personalData: readonly Type<PersonalDataEraser>[];
  /**
   * The parts that the context gives to the export of a customer's data. {@link NONE} if the context stores no data about customers other
   * than what other contexts export.
   */
  readonly customerData: readonly CustomerDataPart[] | typeof NONE;
  /**
   * Modules that answer the questions of contexts on which this context depends: they implement interfaces that those contexts declare. The
   * API and the saga load the modules as global modules.
   */
  readonly answers: readonly Type[];
}

/** Declares a context. */
export function defineContext<const D extends AnyDecider>(manifest: ContextManifest<D>): ContextManifest<D> {
  return manifest;
}
