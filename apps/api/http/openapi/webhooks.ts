import type { Document, Operation } from './schema.js';

const webhooks = new Map<string, Operation>();

/** Adds the webhook message of an event with this name to the OpenAPI document. */
export function registerWebhookOperation(event: string, operation: Operation): void {
  webhooks.set(event, operation);
}

/** Adds the webhooks to the OpenAPI document, by the names of their events. */
export function describeWebhooks(document: Document): void {
  document.webhooks = Object.fromEntries(
    [...webhooks].map(([event, operation]) => [event, { post: structuredClone(operation) }]),
  );
}
