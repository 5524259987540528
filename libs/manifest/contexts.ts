import type { Type } from '@nestjs/common';
import type { AllPostingRules } from '#libs/contexts/ledger';
import { EventVocabulary, type DomainEvent } from '#libs/kernel/domain';
import { INTERNAL, type AuditTrailRule } from './audit-trail-rules.js';
import { discoverFiles } from './discovery.js';
import { NONE, type ContextManifest } from './manifest.js';
import type { BackgroundWork } from './background.js';
import type { CustomerDataPart } from './customer-data.js';
import type { PersonalDataEraser } from './personal-data.js';
import type { Tables } from './tables.js';
import type { WebhookEvents } from './webhook-events.js';

/** A context of this program. */
export interface LoadedContext extends ContextManifest {
  /** The name of its folder. */
  readonly name: string;
}

/**
 * All contexts. The first call loads all manifests, so code must not call `contexts` while a manifest is being loaded.
 */
export const contexts = once((): readonly LoadedContext[] => {
  const found = [
    ...discoverFiles<ContextManifest>('libs', 'context'),
    ...discoverFiles<ContextManifest>('libs/contexts', 'context'),
    ...discoverFiles<ContextManifest>('libs/outputs', 'context'),
  ];
  requireUnique(
    'the id prefix',
    found.map(({ folder, value }) => [folder, value.idPrefixes]),
  );
  requireUnique(
    'the resource',
    found.map(({ folder, value }) => [folder, Object.keys(value.permissions)]),
  );
  requireUnique(
    'the part of customer data',
    found.map(({ folder, value: { customerData } }) => [
      folder,
      customerData === NONE ? [] : customerData.map(({ name }) => name),
    ]),
  );
  return found.map(({ folder, value }) => ({ ...value, name: folder }));
});

/** The event types of all contexts. */
export const vocabulary = once(() => new EventVocabulary(contexts().flatMap(({ deciders }) => deciders)));

/** The rules of the audit trail, by event type. */
export const auditTrailRules = once(
  (): ReadonlyMap<string, AuditTrailRule | typeof INTERNAL> =>
    new Map(contexts().flatMap((context) => Object.entries(context.auditTrailRules))),
);

/** Tells whether the event appears in the audit trail. */
export function isAuditEntry({ type }: Pick<DomainEvent, 'type'>): boolean {
  const rule = auditTrailRules().get(type);
  return rule !== undefined && rule !== INTERNAL;
}

/**
 * The rules that post the amounts of events to the ledger, by event type. Only contexts whose events change amounts of money have posting
 * rules.
 */
export const postingRules = once(
  (): AllPostingRules =>
    new Map(contexts().flatMap(({ postings }) => (postings === NONE ? [] : Object.entries(postings)))),
);

/** Returns the tables of all contexts. */
export const tables = once((): readonly Tables[] =>
  contexts().flatMap((context) => (context.tables === NONE ? [] : [context.tables])),
);

/** Returns the background work of all contexts. */
export const backgroundWork = once((): readonly BackgroundWork[] =>
  contexts().flatMap((context) => (context.background === NONE ? [] : [context.background])),
);

/** Returns the classes that erase personal data, of all contexts. */
export const personalDataErasers = once((): readonly Type<PersonalDataEraser>[] =>
  contexts().flatMap(({ personalData }) => personalData),
);

/** Returns the parts of the export of a customer's data, of all contexts. */
export const customerDataParts = once((): readonly CustomerDataPart[] =>
  contexts().flatMap(({ customerData }) => (customerData === NONE ? [] : customerData)),
);

/** Returns the webhook events of all contexts. */
export const webhookEvents = once((): readonly WebhookEvents[] =>
  contexts().flatMap(({ webhooks }) => (webhooks === NONE ? [] : [webhooks])),
);

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** @throws Error if two contexts use the same name where names must be unique */
function requireUnique(what: string, namesOf: readonly (readonly [string, readonly string[]])[]): void {
  const owners = new Map<string, string>();
  for (const [context, names] of namesOf)
    for (const name of names) {
      const owner = owners.get(name);
      if (owner !== undefined)
        throw new Error(`The contexts ${owner} and ${context} both have ${what} ${name}`);
      owners.set(name, context);
    }
}
