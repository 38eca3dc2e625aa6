comment on schema notifier is 'The alert plan, templates, tasks, agents and delivery attempts; notifier alone reads and writes it';
