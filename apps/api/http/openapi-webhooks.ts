import type { OpenAPIObject } from '@nestjs/swagger';

/** OpenAPI 3.0 has no `webhooks`; this extension has the same content, and Redoc shows it. */
export const WEBHOOKS_EXTENSION = 'x-webhooks';

const webhooks = new Map<string, object>();

/** Adds what is sent as an event of this name to the OpenAPI document: an operation as OpenAPI's `webhooks` has it. */
export function documentWebhook(event: string, operation: object): void {
  webhooks.set(event, { post: operation });
}

/** Puts the webhooks into the OpenAPI document. */
export function describeWebhooks(document: OpenAPIObject): OpenAPIObject {
  return Object.assign(document, { [WEBHOOKS_EXTENSION]: Object.fromEntries(webhooks) });
}
