-- Each look for what was said of a renewal read all that was written down since the last vacuum, entry by entry.
ALTER INDEX linked_messages_of_others SET (fastupdate = off);
SELECT gin_clean_pending_list('linked_messages_of_others');
