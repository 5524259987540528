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

/** A subject of operations, named by `@ApiTags`. */
export interface ApiTag {
  readonly name: string;
  readonly group: (typeof TAG_GROUPS)[number];
  readonly description: string;
}

/** What a folder adds to the API. Its `<folder>.api.ts` exports this by default, and is found by its file name. */
export interface ApiFolder {
  /** The module that holds the controllers. */
  readonly module: Type;
  /** The tags of its controllers, except those that another folder describes. */
  readonly tags: readonly ApiTag[];
  /** The schemas of the webhook events that the folder adds. */
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
