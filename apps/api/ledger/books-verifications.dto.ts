import { ApiProperty } from '@nestjs/swagger';
import { BOOKS_JOB_STATUSES, type BooksJobStatus } from '#libs/outputs/books';

/** The newest entry of the workspace in the audit trail. */
export class LastAuditEntryView {
  @ApiProperty({
    example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11',
    description: 'The id of the entry, as in `GET /v1/audit`.',
  })
  id: string;
  @ApiProperty({
    type: 'integer',
    example: 1203,
    description: 'The number of the entry in the chain of all workspaces.',
  })
  sequence: number;
  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'The hash over the events of all entries up to this one, computed from the events.',
  })
  hash: string;
}

/** A difference between the events and what the product shows. */
export class BooksDifferenceView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: '4711',
    description:
      'The position of the event in the event log. Null if the difference is about no event of the log.',
  })
  position: string | null;
  @ApiProperty({
    example: 'invoice INV-000042 (inv_01HZX3) of acc_01HZX0',
    description: 'The object that differs.',
  })
  subject: string;
  @ApiProperty({
    example: 'total "9.00" was issued, but "10.00" was computed',
    description: 'What differs.',
  })
  problem: string;
}

/** A verification without its differences. */
export class ListedBooksVerificationView {
  @ApiProperty({ example: 'bvr_01HZX3', description: 'The id of the verification.' })
  id: string;
  @ApiProperty({
    enum: BOOKS_JOB_STATUSES,
    example: 'done',
    description:
      'If the status is `done`, the verification has read everything; `differenceCount` says whether it found a difference. If it is `failed`, ' +
      '`error` says why.',
  })
  status: BooksJobStatus;
  @ApiProperty({
    type: 'number',
    example: 1,
    description:
      'The part of the event log that has been read, from 0 to 1. It is 1 when the verification is done.',
  })
  progress: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 4821,
    description: 'The number of events of the workspace. Null until the verification is done.',
  })
  events: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 312,
    description: 'The number of invoices that were computed again. Null until the verification is done.',
  })
  invoices: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 2950,
    description:
      'The number of entries of the workspace in the audit trail. Null until the verification is done.',
  })
  auditEntries: number | null;
  @ApiProperty({
    type: LastAuditEntryView,
    nullable: true,
    description:
      'The newest entry of the workspace in the audit trail. Keep its `hash` elsewhere, and compare it with the entry later. Null until the ' +
      'verification is done.',
  })
  lastAuditEntry: LastAuditEntryView | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '9120',
    description:
      'The position in the event log up to which the books were verified. Null until the verification is done.',
  })
  position: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '9120',
    description:
      'The position up to which lists, ledger and audit trail had processed the events. They were compared up to there. It is -1 while one of ' +
      'them is built from the beginning. Null until the verification is done.',
  })
  comparedUpTo: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 0,
    description:
      'The number of differences; 0 if the books agree with the events. Null until the verification is done.',
  })
  differenceCount: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'Why the books could not be verified: a reference to the log. Null unless the verification has failed.',
  })
  error: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: "The time of the request, by the machine's clock.",
  })
  createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the verification was done, or failed. Null before.',
  })
  endedAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time from which the verification can be removed. Null until the verification has ended.',
  })
  expiresAt: string | null;
}

/** A verification with its differences. */
export class BooksVerificationView extends ListedBooksVerificationView {
  @ApiProperty({
    type: [BooksDifferenceView],
    nullable: true,
    description:
      'The first 1,000 differences, in the order in which they were found. Null until the verification is done.',
  })
  differences: readonly BooksDifferenceView[] | null;
}

export class BooksVerificationList {
  @ApiProperty({
    type: [ListedBooksVerificationView],
    description: 'The verifications without their differences, newest first.',
  })
  data: ListedBooksVerificationView[];
}
