import { ApiProperty } from '@nestjs/swagger';
import { EXPORT_FORMATS, type ExportFormat } from '#libs/contexts/privacy';
import { MAIL_STATUSES } from '#libs/outputs/mail';
import { ByteOrderMarkField, ChoiceField } from '../http/index.js';

export class DataExportQuery {
  @ChoiceField(EXPORT_FORMATS, {
    optional: true,
    description:
      '`zip` downloads an archive with a JSON or CSV file for each part of the data, and the PDFs of invoices and credit notes.',
  })
  format: ExportFormat = 'json';

  @ByteOrderMarkField('zip')
  bom: boolean = false;
}

/** A mail to a customer, or other mail of the workspace to one of the customer's addresses, in the export of the customer's data. */
export class ExportedMailView {
  @ApiProperty({ example: 'mail_01JD0000000000000000000000', description: 'The id of the mail.' }) id: string;
  @ApiProperty({ example: 'invitation', description: 'The kind of mail.' }) kind: string;
  @ApiProperty({
    example: 'usr_01JD0000000000000000000000',
    description: 'The id of the resource that the mail is about.',
  })
  about: string;
  @ApiProperty({ example: 'ada@example.com', description: 'The address of the recipient.' }) to: string;
  @ApiProperty({ example: 'Your invitation', description: 'The subject line.' }) subject: string;
  @ApiProperty({ enum: MAIL_STATUSES, example: 'sent', description: 'The delivery status of the mail.' })
  status: (typeof MAIL_STATUSES)[number];
  @ApiProperty({ format: 'date-time', description: 'The time when the mail was written.' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'The time when the mail was sent, withheld, or given up. Null while the mail waits.',
  })
  endedAt: string | null;
}

/** A stored answer to a request with an `Idempotency-Key`, in the export of a customer's data. */
export class ExportedAnswerView {
  @ApiProperty({
    example: 'POST /v1/customers',
    description: 'The method and the path of the request. Its idempotency key is stored only as a digest.',
  })
  request: string;
  @ApiProperty({ example: 201, description: 'The HTTP status of the answer.' }) status: number;
  @ApiProperty({
    type: Object,
    nullable: true,
    example: { id: 'cust_northwind', name: 'Northwind' },
    description:
      'The body of the answer. Null if it was empty, or has a credential or data of other customers.',
  })
  answer: unknown;
  @ApiProperty({
    format: 'date-time',
    example: '2026-02-01T00:00:00.000Z',
    description: 'The time of the answer.',
  })
  answeredAt: string;
}
