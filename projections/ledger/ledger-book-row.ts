import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StreamPostingState } from '#libs/contexts/ledger';

/** What the posting rules have to know of a stream to post its next event. */
@Entity({ schema: 'read', name: 'ledger_books' })
export class LedgerBookRow {
  @PrimaryColumn('text')
  stream: string;

  @Column('jsonb')
  book: StreamPostingState;
}
