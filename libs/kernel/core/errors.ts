/** An error in one field of a request. The error's message says what the field must be. */
export interface FieldError {
  field: string;
  message: string;
}

/**
 * An error that the caller can correct or must be informed about. An AppError has a stable `code`, an HTTP status and a message that can be
 * shown to the client. Any error that is not an AppError is a defect and is answered with HTTP status 500.
 */
export abstract class AppError extends Error {
  abstract readonly status: number;

  constructor(
    readonly code: string,
    message: string,
    readonly details?: FieldError[],
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** 400: the request itself is wrong. Another request would succeed, in the present state of the resources. */
export class InvalidRequest extends AppError {
  readonly status: number = 400;

  /** Makes the error for one wrong field. */
  static field(field: string, message: string, code = 'validation_failed'): InvalidRequest {
    return new InvalidRequest(code, `${field}: ${message}`, [{ field, message }]);
  }
}

/**
 * Returns the error message for a wrong value of a field.
 *
 * @param value the value; undefined if the field was left out
 * @param expected what the value must be, such as `must be a number`
 */
export function wrongValue(value: unknown, expected: string): string {
  if (value !== undefined || expected.startsWith('is required')) return expected;
  return `is required: ${expected.replace(/^must be /, '')}`;
}

/**
 * 409: the request is well formed, but the state of a resource refuses it. The remedy lies in the state, such as a paid invoice or a full
 * list. It is an InvalidRequest, since work in the background gives up after both. {@link Conflict} is for what can end by itself or by
 * another value: a race, a resource in use, a name that is taken.
 */
export class StateConflict extends InvalidRequest {
  override readonly status = 409;
}

/** 401: the credential is missing or not valid. */
export class Unauthenticated extends AppError {
  readonly status = 401;
}

/** 403: the credential is valid but does not have the permission. */
export class Forbidden extends AppError {
  readonly status = 403;
}

/** A resource that was requested and does not exist. */
export interface MissingResource {
  /** The name of the kind of resource, such as `customer`. */
  readonly resource: string;
  readonly id: string;
}

/** 404: the resource does not exist, or belongs to another workspace. The answer never shows which. */
export class NotFound extends AppError {
  readonly status = 404;

  /** The error filter uses `missing` to find the request field that names the missing resource. */
  constructor(
    code: string,
    message: string,
    details?: FieldError[],
    readonly missing?: MissingResource,
  ) {
    super(code, message, details);
  }

  /** Makes the error for a missing resource. `resource` is the kind of resource, such as `customer`. */
  static of(resource: string, id: string): NotFound {
    return new NotFound(
      `${resource.toLowerCase().replaceAll(' ', '_')}_not_found`,
      `No ${resource} "${id}" in this workspace`,
      undefined,
      { resource, id },
    );
  }
}

/** 409: the present state of a resource conflicts with the request. */
export class Conflict extends AppError {
  readonly status = 409;
}

/** 413: the body or the batch is larger than allowed. */
export class TooLarge extends AppError {
  readonly status = 413;
}

/** 429: the caller, or all callers together, send more than is taken. The same request may succeed after `retryAfterSeconds`. */
export class TooManyRequests extends AppError {
  readonly status = 429;

  constructor(
    code: string,
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(code, message);
  }
}

/** 503: a required service does not answer now. The same request may succeed later. */
export class Unavailable extends AppError {
  readonly status = 503;
}
