-- A clock that was far ahead when it spoke held back all that was told later.
UPDATE upstream_words SET told_at = now() WHERE told_at > now() + interval '5 minutes';
