DELETE FROM address_links
