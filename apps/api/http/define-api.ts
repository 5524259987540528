import type { Type } from '@nestjs/common';
import { discoverFiles } from '#libs/manifest';
import type { WebhookSchemas } from './openapi/webhook-schemas.js';

/** The groups of tags in the API reference, in display order: what a newcomer needs first comes first. */
export const TAG_GROUPS = [
  'customers',
  'catalog',
  'usage',
  'subscriptions',
  'invoices',
  'books',
  'access',
  'operation',
] as const;

/** A tag of the API reference, which controllers name with `@ApiTags`. */
export interface ApiTag {
  readonly name: string;
  readonly group: (typeof TAG_GROUPS)[number];
  readonly description: string;
}

/**
 * The parts of the API that one folder adds. The file `<folder>.api.ts` exports an `ApiFolder` by default, and is found by its file name.
 */
export interface ApiFolder {
  /** The module that holds the controllers. */
  readonly module: Type;
  /** The tags of the folder's controllers, except the tags that another folder describes. */
  readonly tags: readonly ApiTag[];
  /** The schemas of the webhook events that the folder adds. */
  readonly webhooks?: WebhookSchemas;
  /**
   * For each part of a customer's data export that this folder adds, such as `invoices`: the response class of the entries in that part. If
   * the part is not a list, the class describes the whole part.
   */
  readonly customerData?: Readonly<Record<string, Type>>;
}

/** Declares the module, tags and schemas that a folder adds to the API. */
export function defineApi(folder: ApiFolder): ApiFolder {
  return folder;
}

/** Returns the declarations of all folders of `apps/api`, which their `*.api.ts` files export. */
export function apiFolders(): ApiFolder[] {
  return discoverFiles<ApiFolder>('apps/api', 'api').map(({ value }) => value);
}
