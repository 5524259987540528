import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StreamPostingState } from '#libs/contexts/ledger';

/** What the posting rules keep about an event stream. From it, they compute the ledger postings of the stream's next event. */
@Entity({ schema: 'read', name: 'ledger_books' })
export class StreamPostingStateRow {
  /** The name of the event stream. */
  @PrimaryColumn('text')
  stream: string;

  /** The state of the posting rules after the stream's last event, from which they compute the postings of the next event. */
  @Column('jsonb')
  book: StreamPostingState;
}
