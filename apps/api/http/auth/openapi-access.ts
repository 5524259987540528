import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';

/** An operation's permission, in the OpenAPI document. */
export const PERMISSION_EXTENSION = 'x-permission';
/** Marks an operation that an API key cannot do, in the OpenAPI document. */
export const USER_SESSION_EXTENSION = 'x-user-session-only';

const BEARER = 'bearer';
const API_KEY = 'api-key';

/** Adds the ways to authenticate to the OpenAPI document. */
export function addSecuritySchemes(builder: DocumentBuilder): DocumentBuilder {
  return builder
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An API key, or the access token of a user.' },
      BEARER,
    )
    .addApiKey({ type: 'apiKey', name: 'x-api-key', in: 'header', description: 'An API key.' }, API_KEY);
}

/** Says of every operation which credentials it takes: none if it is public. */
export function describeSecurity(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const method of ['get', 'put', 'post', 'patch', 'delete'] as const) {
      const operation = path[method] as (object & { security?: Record<string, string[]>[] }) | undefined;
      if (!operation) continue;
      if (USER_SESSION_EXTENSION in operation) operation.security = [{ [BEARER]: [] }];
      else if (PERMISSION_EXTENSION in operation) operation.security = [{ [BEARER]: [] }, { [API_KEY]: [] }];
      else operation.security = [];
    }
  }
  return document;
}
