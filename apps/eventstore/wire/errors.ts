/** The errors that the node returns, as the status of a call or as the response to one append of a batch. */
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import type { Message } from 'google-protobuf';
import type { ExpectedRevision } from '../streams/events.js';
import {
  ExceptionName,
  ExpectedVersionNumber,
  EventMetadataKey,
  StatusDetailName,
  TrailerKey,
} from './names.js';
import {
  AccessDenied,
  Any,
  BadRequest,
  Code,
  GoogleEmpty,
  MaximumAppendSizeExceeded,
  RpcStatus,
  StreamDeleted,
  StreamIdentifier,
  Timeout,
  Unknown,
  WrongExpectedVersion,
} from './stubs.js';

/** The error of a failed call, with its status and trailers. The client chooses its error class by the trailers. */
export class CallError extends Error implements Partial<StatusObject> {
  readonly details: string;
  readonly metadata: Metadata;
  /** The name of the error in the client's protocol, if it has one. */
  readonly exceptionName: string | undefined;

  constructor(
    readonly code: status,
    message: string,
    trailers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.details = message;
    this.exceptionName = trailers[TrailerKey.exception];
    this.metadata = new Metadata();
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, trailerText(value));
  }

  static invalidArgument(message: string): CallError {
    return new CallError(status.INVALID_ARGUMENT, message);
  }

  static missingMetadata(key: string): CallError {
    return new CallError(status.INVALID_ARGUMENT, `Required Metadata Property '${key}' is missing`, {
      [TrailerKey.exception]: ExceptionName.missingRequiredMetadataProperty,
      [TrailerKey.requiredMetadataProperties]: `${EventMetadataKey.type},${EventMetadataKey.contentType}`,
    });
  }

  static maximumAppendSizeExceeded(limit: number): CallError {
    return new CallError(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
      [TrailerKey.exception]: ExceptionName.maximumAppendSizeExceeded,
      [TrailerKey.maximumAppendSize]: limit.toString(),
    });
  }

  static streamDeleted(stream: string): CallError {
    return new CallError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
      [TrailerKey.exception]: ExceptionName.streamDeleted,
      [TrailerKey.streamName]: stream,
    });
  }

  /** @param actual the stream's revision, or -1 if the stream does not exist */
  static wrongExpectedVersion(stream: string, expected: ExpectedRevision, actual: number): CallError {
    const expectedVersion =
      typeof expected === 'bigint' ? expected.toString() : ExpectedVersionNumber[expected];
    return new CallError(
      status.FAILED_PRECONDITION,
      `Wrong expected version. Stream: ${stream}, Expected version: ${expectedVersion}, Actual version: ${actual}`,
      {
        [TrailerKey.exception]: ExceptionName.wrongExpectedVersion,
        [TrailerKey.streamName]: stream,
        [TrailerKey.expectedVersion]: expectedVersion,
        // The client reads "no stream" from an empty value.
        [TrailerKey.actualVersion]: actual < 0 ? '' : actual.toString(),
      },
    );
  }

  static accessDenied(message: string): CallError {
    return new CallError(status.PERMISSION_DENIED, message, {
      [TrailerKey.exception]: ExceptionName.accessDenied,
    });
  }

  /**
   * EventStoreDB uses ABORTED for its own time-outs (`RpcExceptions.Timeout`). The status DEADLINE_EXCEEDED is only for the caller's
   * deadline.
   */
  static timedOut(): CallError {
    return new CallError(status.ABORTED, 'Operation timed out: the write was not done in time.');
  }

  static unavailable(message: string): CallError {
    return new CallError(status.UNAVAILABLE, message);
  }

  static internal(): CallError {
    return new CallError(status.INTERNAL, 'The event store node failed; its log says why.');
  }
}

/**
 * The responses to a failed append of a batch. Each response has details, because the client reads the details without a check that they
 * exist.
 */
export const BatchAppendErrorStatus = {
  wrongExpectedVersion(expected: ExpectedRevision, actual: number): RpcStatus {
    const detail = new WrongExpectedVersion();
    if (actual < 0) detail.setCurrentNoStream(new GoogleEmpty());
    else detail.setCurrentStreamRevision(actual.toString());
    if (expected === 'any') detail.setExpectedAny(new GoogleEmpty());
    else if (expected === 'stream_exists') detail.setExpectedStreamExists(new GoogleEmpty());
    else if (expected === 'no_stream') detail.setExpectedNoStream(new GoogleEmpty());
    else detail.setExpectedStreamPosition(expected.toString());
    return statusOf(
      Code.ALREADY_EXISTS,
      'Wrong expected version.',
      StatusDetailName.wrongExpectedVersion,
      detail,
    );
  },

  streamDeleted(stream: string): RpcStatus {
    const detail = new StreamDeleted();
    const identifier = new StreamIdentifier();
    identifier.setStreamName(Buffer.from(stream));
    detail.setStreamIdentifier(identifier);
    return statusOf(
      Code.NOT_FOUND,
      `Event stream '${stream}' is deleted.`,
      StatusDetailName.streamDeleted,
      detail,
    );
  },

  accessDenied(message: string): RpcStatus {
    return statusOf(Code.PERMISSION_DENIED, message, StatusDetailName.accessDenied, new AccessDenied());
  },

  timeout(): RpcStatus {
    return statusOf(
      Code.DEADLINE_EXCEEDED,
      'The append was not done in time.',
      StatusDetailName.timeout,
      new Timeout(),
    );
  },

  maximumAppendSizeExceeded(limit: number): RpcStatus {
    const detail = new MaximumAppendSizeExceeded();
    detail.setMaxappendsize(limit);
    return statusOf(
      Code.INVALID_ARGUMENT,
      `Maximum Append Size of ${limit} Exceeded.`,
      StatusDetailName.maximumAppendSizeExceeded,
      detail,
    );
  },

  badRequest(message: string): RpcStatus {
    const detail = new BadRequest();
    detail.setMessage(message);
    return statusOf(Code.INVALID_ARGUMENT, message, StatusDetailName.badRequest, detail);
  },

  unknown(message: string): RpcStatus {
    return statusOf(Code.UNKNOWN, message, StatusDetailName.unknown, new Unknown());
  },
} as const;

function statusOf(code: number, message: string, typeName: string, detail: Message): RpcStatus {
  const any = new Any();
  any.pack(detail.serializeBinary(), typeName);
  const result = new RpcStatus();
  result.setCode(code);
  result.setMessage(message);
  result.setDetails(any);
  return result;
}

/** Returns the value of a trailer. Trailers are ASCII, so other text is percent-encoded. */
function trailerText(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}
