/** One error in one field of a request. Its message says what is expected. */
export interface FieldError {
  field: string;
  message: string;
}

/**
 * An error that the caller can correct or must know of. It has a stable `code` and an HTTP status, and its message may be shown to the
 * client. Anything else that is thrown is a defect and is answered as 500.
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

/** 400: the request is malformed, or the state of the resource does not allow it. */
export class InvalidRequest extends AppError {
  readonly status = 400;

  /** One wrong field. */
  static field(field: string, message: string, code = 'validation_failed'): InvalidRequest {
    return new InvalidRequest(code, `${field}: ${message}`, [{ field, message }]);
  }
}

/** 401: no credential, or one that is not valid. */
export class Unauthenticated extends AppError {
  readonly status = 401;
}

/** 403: a valid credential without the permission. */
export class Forbidden extends AppError {
  readonly status = 403;
}

/** A resource that was requested and does not exist. */
export interface Missing {
  /** The field's word for the thing, such as `customer`. */
  readonly resource: string;
  readonly id: string;
}

/** 404: not there, or another workspace's. The two are never told apart. */
export class NotFound extends AppError {
  readonly status = 404;

  /** `missing`: whoever knows the request finds by it where that was named. */
  constructor(
    code: string,
    message: string,
    details?: FieldError[],
    readonly missing?: Missing,
  ) {
    super(code, message, details);
  }

  /** `resource` is the field's word for the thing, such as `customer`. */
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

/** 503: a part that is needed does not answer now; the same request may succeed later. */
export class Unavailable extends AppError {
  readonly status = 503;
}
