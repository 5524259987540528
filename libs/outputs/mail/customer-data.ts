import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { additionalEmailsOrNone, customerDecider } from '#libs/contexts/customers';
import { SETTINGS } from '#libs/kernel/app';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { requireSecrets, type Settings } from '#libs/kernel/system';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { MailCipher } from './queue/mail-cipher.js';
import type { StoredMail } from './queue/mail.js';

const PAGE = 500;

type Row = Pick<
  StoredMail,
  'number' | 'id' | 'kind' | 'about' | 'customerId' | 'content' | 'status' | 'createdAt' | 'endedAt'
>;

/**
 * The mail to a customer, for the export of the customer's data. Any other mail of the workspace is included too, if it went to one of the
 * customer's present addresses. Mail that was encrypted with an earlier JWT_SECRET is left out. The export leaves out the text of mail,
 * because the text can contain a link that signs a user in.
 */
@Injectable()
class MailsSource implements CustomerDataSource {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const customer = await this.aggregates.load(customerDecider, aggregateId(workspaceId, customerId));
    const addresses = new Set(
      [
        customer?.email,
        customer?.billingEmail,
        ...additionalEmailsOrNone(customer?.additionalEmails),
      ].flatMap((address) => address?.toLowerCase() ?? []),
    );
    const cipher = new MailCipher(requireSecrets(this.settings));
    for (let after = '0'; ;) {
      const { rows } = await this.pool.query<Row>(
        `SELECT id, number, kind, about, customer_id AS "customerId", content, status, created_at AS "createdAt", ended_at AS "endedAt"
         FROM mail.messages WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT ${PAGE}`,
        [workspaceId, after],
      );
      for (const { id, kind, about, customerId: recipient, content, status, createdAt, endedAt } of rows) {
        const mail = cipher.decryptContent(content);
        if (mail && (recipient === customerId || addresses.has(mail.to.address.toLowerCase())))
          yield { id, kind, about, to: mail.to.address, subject: mail.subject, status, createdAt, endedAt };
      }
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.number;
    }
  }
}

export const customerData: readonly CustomerDataPart[] = [{ name: 'mails', source: MailsSource }];
