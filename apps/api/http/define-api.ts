import type { Type } from '@nestjs/common';
import { discover } from '#libs/manifest';
import type { WebhookSchemas } from './openapi/webhook-schemas.js';

/** The parts of the API's reference, in their order. */
export const TAG_GROUPS = [
  'access',
  'customers',
  'catalog',
  'subscriptions',
  'usage',
  'invoices',
  'books',
  'operation',
] as const;

/** What operations are about, as `@ApiTags` names it. */
export interface ApiTag {
  readonly name: string;
  readonly group: (typeof TAG_GROUPS)[number];
  readonly description: string;
}

/** What a folder adds to the API: its `<folder>.api.ts` exports one by default, and is found by its name. */
export interface ApiFolder {
  /** With the controllers. */
  readonly module: Type;
  /** The tags of its controllers that no other folder has described. */
  readonly tags: readonly ApiTag[];
  /** What webhooks send of it. */
  readonly webhooks?: WebhookSchemas;
}

/** Declares what a folder adds to the API. */
export function defineApi(folder: ApiFolder): ApiFolder {
  return folder;
}

/** What all folders add to the API. */
export function apiFolders(): ApiFolder[] {
  return discover<ApiFolder>('apps/api', 'api').map(({ value }) => value);
}
