/** Converts the outcome of a write to a response. Each kind of gRPC call has its own form of response. */
import type { ExpectedRevision } from '../streams/events.js';
import { BatchAppendErrorStatus, CallError } from '../wire/errors.js';
import { AllStreamPosition, AppendResp, BatchAppendResp, Empty, GoogleEmpty } from '../wire/stubs.js';
import type { WriteOutcome } from '../writer/write-request.js';

type Written = Extract<WriteOutcome, { kind: 'written' }>;

/** The stream of a write and the revision that the write expects, for error messages. */
export interface WriteTarget {
  readonly stream: string;
  readonly expected: ExpectedRevision;
}

/** A single append reports a wrong revision in its response. A single append reports all other errors in the status of the call. */
export function appendAnswer(outcome: WriteOutcome, target: WriteTarget): AppendResp {
  const response = new AppendResp();
  if (outcome.kind === 'wrong_expected_revision')
    response.setWrongExpectedVersion(wrongExpectedVersion(target.expected, outcome.revision));
  else response.setSuccess(appendSuccess(requireWritten(outcome, target)));
  return response;
}

/** A batch append reports every error in the response to the append that failed. */
export function setBatchAnswer(response: BatchAppendResp, outcome: WriteOutcome, target: WriteTarget): void {
  switch (outcome.kind) {
    case 'written':
      response.setSuccess(batchSuccess(outcome));
      break;
    case 'wrong_expected_revision':
      response.setError(BatchAppendErrorStatus.wrongExpectedVersion(target.expected, outcome.revision));
      break;
    case 'stream_deleted':
      response.setError(BatchAppendErrorStatus.streamDeleted(target.stream));
      break;
    case 'timed_out':
      response.setError(BatchAppendErrorStatus.timeout());
      break;
    case 'failed':
      response.setError(BatchAppendErrorStatus.unknown(outcome.message));
      break;
  }
}

/**
 * Returns the outcome if the write succeeded.
 *
 * @throws CallError with the reason if the write did not succeed
 */
export function requireWritten(outcome: WriteOutcome, { stream, expected }: WriteTarget): Written {
  switch (outcome.kind) {
    case 'written':
      return outcome;
    case 'wrong_expected_revision':
      throw CallError.wrongExpectedVersion(stream, expected, outcome.revision);
    case 'stream_deleted':
      throw CallError.streamDeleted(stream);
    case 'timed_out':
      throw CallError.timedOut();
    case 'failed':
      throw CallError.unavailable(outcome.message);
  }
}

function appendSuccess({ revision, position }: Written): InstanceType<typeof AppendResp.Success> {
  const success = new AppendResp.Success();
  if (revision < 0) success.setNoStream(new Empty());
  else success.setCurrentRevision(revision.toString());
  if (position === undefined) {
    success.setNoPosition(new Empty());
    return success;
  }
  const place = new AppendResp.Position();
  place.setCommitPosition(position.toString());
  place.setPreparePosition(position.toString());
  success.setPosition(place);
  return success;
}

function batchSuccess({ revision, position }: Written): InstanceType<typeof BatchAppendResp.Success> {
  const success = new BatchAppendResp.Success();
  if (revision < 0) success.setNoStream(new GoogleEmpty());
  else success.setCurrentRevision(revision.toString());
  if (position === undefined) {
    success.setNoPosition(new GoogleEmpty());
    return success;
  }
  const place = new AllStreamPosition();
  place.setCommitPosition(position.toString());
  place.setPreparePosition(position.toString());
  success.setPosition(place);
  return success;
}

/** Each revision is set in two fields, because clients before 20.10 read the fields whose names end in 2060. */
function wrongExpectedVersion(
  expected: ExpectedRevision,
  revision: number,
): InstanceType<typeof AppendResp.WrongExpectedVersion> {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (revision < 0) {
    wrong.setCurrentNoStream(new Empty());
    wrong.setNoStream2060(new Empty());
  } else {
    wrong.setCurrentRevision(revision.toString());
    wrong.setCurrentRevision2060(revision);
  }
  switch (expected) {
    case 'any':
      wrong.setExpectedAny(new Empty());
      wrong.setAny2060(new Empty());
      break;
    case 'stream_exists':
      wrong.setExpectedStreamExists(new Empty());
      wrong.setStreamExists2060(new Empty());
      break;
    case 'no_stream':
      wrong.setExpectedNoStream(new Empty());
      break;
    default:
      wrong.setExpectedRevision(expected.toString());
      wrong.setExpectedRevision2060(Number(expected));
  }
  return wrong;
}
