import { ApiProperty } from '@nestjs/swagger';
import { MAIL_STATUSES, type MailStatus } from '#libs/outputs/mail';
import { ListView } from '../http/index.js';

/** Mail, with its state. */
export class EmailView {
  @ApiProperty({ example: 'mail_01JD0000000000000000000000', description: 'The id of the mail.' }) id: string;
  @ApiProperty({
    example: 'payment_failed',
    description:
      'The kind of mail: `invoice`, `receipt`, `payment_failed`, `payment_action_required`, `credit_note`, or `dunning_` with the template ' +
      'of a step.',
  })
  kind: string;
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'ada@northwind.example' },
    description:
      'The address. Null if `JWT_SECRET` was changed after the mail was written, because mail is encrypted with a key from it.',
  })
  to: string | null;
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'Invoice INV-000042 from Contoso' },
    description:
      'The subject. Null if `JWT_SECRET` was changed after the mail was written, because mail is encrypted with a key from it.',
  })
  subject: string | null;
  @ApiProperty({
    enum: MAIL_STATUSES,
    description:
      '`pending`: an attempt is to come. `sent`: the mail server took it. `failed`: it was given up. `withheld`: it was never sent. ' +
      '`unknown`: the mail server got it, and the connection broke before its answer. Unknown mail is not sent again by itself.',
  })
  status: MailStatus;
  @ApiProperty({
    format: 'date-time',
    description: "The time at which the mail was written, by the workspace's clock.",
  })
  writtenAt: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time at which the status of the mail last changed, by the system clock.',
  })
  at: string;
  @ApiProperty({
    ...{ type: String, nullable: true, example: '550 No such user' },
    description:
      'The reason why the mail was not sent: the answer of the mail server, or why the mail server was not contacted. Null if the mail ' +
      'was sent.',
  })
  error: string | null;
}

export class EmailList extends ListView {
  @ApiProperty({ type: [EmailView] }) data: EmailView[];
}

/** Mail with its content. */
export class SandboxEmailView extends EmailView {
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'cust_northwind' },
    description: 'The customer who gets the mail.',
  })
  customerId: string | null;
  @ApiProperty({
    ...{ type: [String], example: ['inv_01JD0000000000000000000000'] },
    description: 'The invoices that the mail is about.',
  })
  invoiceIds: string[];
  @ApiProperty({
    ...{ type: String, nullable: true, example: 'Your invoice INV-000042 is attached.' },
    description: 'The plain text.',
  })
  text: string | null;
  @ApiProperty({
    ...{ type: String, nullable: true, example: '<p>Your invoice INV-000042 is attached.</p>' },
    description: 'The HTML.',
  })
  html: string | null;
  @ApiProperty({
    ...{ type: [String], example: ['invoice'] },
    description:
      'The documents that are attached to the mail as PDF files: `invoice`, `receipt` or `credit_note`.',
  })
  attachments: string[];
}

export class SandboxEmailList extends ListView {
  @ApiProperty({ type: [SandboxEmailView] }) data: SandboxEmailView[];
}
