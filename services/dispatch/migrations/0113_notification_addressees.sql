-- What a reader sees is found by whom it is addressed to: in a large organisation most is addressed to others.
CREATE INDEX notification_addressed ON notification (feed_key, addressee_id, notification_guid);
DROP INDEX notification_list;
