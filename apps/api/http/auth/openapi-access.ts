import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';

/** The name of the OpenAPI extension field that shows the permission of an operation. */
export const PERMISSION_EXTENSION = 'x-permission';
/** The name of the OpenAPI extension field that marks an operation that an API key cannot call. */
export const USER_SESSION_EXTENSION = 'x-user-session-only';
/** The name of the OpenAPI extension field that marks an operation that only a portal token can call. */
export const PORTAL_EXTENSION = 'x-portal-only';

const BEARER = 'bearer';
const API_KEY = 'api-key';
const PORTAL_TOKEN = 'portal-token';

/** Adds the ways to authenticate to the OpenAPI document. */
export function addSecuritySchemes(builder: DocumentBuilder): DocumentBuilder {
  return builder
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An API key, or the access token of a user.' },
      BEARER,
    )
    .addApiKey({ type: 'apiKey', name: 'x-api-key', in: 'header', description: 'An API key.' }, API_KEY)
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'The token of a portal session.' },
      PORTAL_TOKEN,
    );
}

/** Adds the accepted credentials to every operation of the OpenAPI document. A public operation takes none. */
export function describeSecurity(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const method of ['get', 'put', 'post', 'patch', 'delete'] as const) {
      const operation = path[method] as (object & { security?: Record<string, string[]>[] }) | undefined;
      if (!operation) continue;
      if (PORTAL_EXTENSION in operation) operation.security = [{ [PORTAL_TOKEN]: [] }];
      else if (USER_SESSION_EXTENSION in operation) operation.security = [{ [BEARER]: [] }];
      else if (PERMISSION_EXTENSION in operation) operation.security = [{ [BEARER]: [] }, { [API_KEY]: [] }];
      else operation.security = [];
    }
  }
  return document;
}
