import { ApiProperty } from '@nestjs/swagger';
import {
  BOOKS_JOB_STATUSES,
  LEDGER_FILE_FORMAT_NAMES,
  type BooksJobStatus,
  type LedgerFileFormatName,
} from '#libs/outputs/books';
import { ChoiceField, InstantField } from '../http/index.js';

export class RequestBooksExportBody {
  @ChoiceField(LEDGER_FILE_FORMAT_NAMES, {
    description:
      'The format of the file. `hledger` and `beancount` are journals with an assertion of every balance.',
  })
  format: LedgerFileFormatName;

  @InstantField({
    optional: true,
    dates: true,
    example: '2026-01-01',
    description:
      'The first moment or booking date to include. Opening balances sum up all earlier bookings. By default, the books are exported from ' +
      'their beginning.',
  })
  since?: string;

  @InstantField({
    optional: true,
    dates: true,
    notBefore: 'since',
    example: '2026-12-31',
    description:
      "The last moment or booking date to include. Bookings later than the workspace's present time are never included.",
  })
  until?: string;
}

export class BooksExportView {
  @ApiProperty({ example: 'bex_01HZX3', description: 'The id of the export.' })
  id: string;
  @ApiProperty({ enum: LEDGER_FILE_FORMAT_NAMES, example: 'hledger', description: 'The format of the file.' })
  format: LedgerFileFormatName;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '2026-01-01',
    description:
      'The first moment or booking date that the file includes. Null for the beginning of the books.',
  })
  since: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The last moment or booking date that the file includes. Null for the time of the request.',
  })
  until: string | null;
  @ApiProperty({
    enum: BOOKS_JOB_STATUSES,
    example: 'done',
    description: 'The file can be downloaded if the status is `done`. If it is `failed`, `error` says why.',
  })
  status: BooksJobStatus;
  @ApiProperty({
    type: 'number',
    example: 1,
    description:
      'The part of the event log that has been read, from 0 to 1. It is 1 when the export is done.',
  })
  progress: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1203,
    description:
      'The number of transactions in the file, without opening balances. Null until the export is done.',
  })
  transactions: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 524288,
    description: 'The size of the file in bytes. Null until the export is done.',
  })
  bytes: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'Why the file could not be made: the event that the ledger cannot post, or a reference to the log. Null unless the export has failed.',
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
    description: 'The time at which the file was whole, or the export failed. Null before.',
  })
  endedAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time from which the export and its file can be removed. Null until the export has ended.',
  })
  expiresAt: string | null;
}

export class BooksExportList {
  @ApiProperty({ type: [BooksExportView], description: 'The exports, newest first.' })
  data: BooksExportView[];
}
